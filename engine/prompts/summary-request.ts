import type { RuleStep } from '../core/rule-step.ts';
import { currentModel } from '../current-providers/current-model.ts';
import type { ModelMessage, ModelRequest } from '../ports/language-model.ts';
import { objectSchema } from '../tool-definitions/model-functions.ts';
import { historyMessages } from '../transcript/history.ts';
import { promptText, quotedText } from '../variables/prompt-value.ts';
import { conversationText, requestTo } from './request-parts.ts';

const SUMMARY_SCHEMA = objectSchema([{ name: 'summary', type: 'string', description: '' }]);
/** Length of a tool result in the text to be summarised. */
const RESULT_CHARACTERS_MAX = 1_000;

/** The request for a summary of the turns that left the history, and of the summary before them. */
export function summaryRequest(step: RuleStep): ModelRequest {
  const { agent, summary } = step.context;
  const earlier = summary.text === null ? '' : `Summary of what came before:\n${quotedText(summary.text)}`;
  const texts = historyMessages(summary.dropped, 'tool').flatMap(summaryText);
  const system =
    'You keep the notes of a phone call for the agent who leads it. Sum up what you are given in at most 400 words: who ' +
    'the caller is and what they want, every name, number, date and address, what was found out, done, agreed and ' +
    `promised, and what is still open. Keep all that an earlier summary holds. Write in the language «${agent.language}».`;
  return {
    ...requestTo(step.context, currentModel(step)),
    temperature: 0,
    messages: [
      { role: 'system', content: system },
      {
        role: 'user',
        content: [earlier, `Conversation:\n${texts.join('\n')}`].filter((part) => part !== '').join('\n\n'),
      },
    ],
    functions: [],
    answerSchema: { name: 'summary', schema: SUMMARY_SCHEMA },
  };
}

/** Includes tool results, since the summary must keep their information. */
function summaryText(message: ModelMessage): string[] {
  if (message.role === 'tool')
    return [`A tool answered: ${promptText(message.content.slice(0, RESULT_CHARACTERS_MAX).toWellFormed())}`];
  return conversationText(message);
}
