import type { AgentConfiguration } from '../agent/agent-schema.ts';
import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Correction } from '../core/state/turn-detection-slice.ts';
import { currentModel } from '../current-providers/current-model.ts';
import type { ModelRequest } from '../ports/language-model.ts';
import { offeredKnowledgeFunctions } from '../tool-definitions/knowledge-search-tool.ts';
import { modelFunctions } from '../tool-definitions/model-functions.ts';
import { variableParameters } from '../tool-definitions/variable-parameters.ts';
import { agentItem, conversationItems, hasCallsAfter, historyMessages } from '../transcript/history.ts';
import { promptText, quotedText } from '../variables/prompt-value.ts';
import { fillVariablesForPrompt } from '../variables/variables.ts';
import { knownValues, requestTo } from './request-parts.ts';

/** Instructions for text that is spoken on the phone. */
const SPOKEN_STYLE =
  'You are speaking on the phone. Answer in short spoken sentences, without lists, markup or emoji. ' +
  'Write numbers, times and addresses as they are read aloud.';

/** Added after an incomplete response of the model. It is not part of the history. */
const CONTINUE_NOTE =
  '[Your last answer broke off. Go on from exactly where it stopped, and repeat nothing of it. If it was whole, say nothing.]';

/** Added if the agent spoke last: many models refuse to continue their own message. It is not part of the history. */
const SILENT_USER_NOTE = '[The caller has said nothing since. Go on with what you still owe them.]';

/** An answer is recognised by its beginning. Unit: characters. */
const QUOTED_ANSWER_MAX = 120;

/** Part of the note about misheard words, if tools were called after them. */
const CALLED_WITH_MISHEARD_WORDS =
  'The functions that you called since had the misheard words: if they need the right ones, call them again.';

/** Added if answers of the agent, the last one or earlier ones, were to words that were transcribed wrongly. It is not part of the history. */
function correctionNote(context: CallContext, corrections: readonly Correction[]): string {
  const said = corrections.map(({ item, words }) => {
    const answer = answerTo(context, item).slice(0, QUOTED_ANSWER_MAX);
    const before = answer === '' ? '' : `Before you answered ${quotedText(answer)}, `;
    return `${before}${before === '' ? 'The' : 'the'} caller said: ${promptText(words)}`;
  });
  const isCalled = corrections.some(({ item }) => hasCallsAfter(context.history, item));
  const calls = isCalled ? ` ${CALLED_WITH_MISHEARD_WORDS}` : '';
  return `[Some words of the caller were misheard when you answered them. ${said.join(' ')}${calls} Answer that now, briefly.]`;
}

/** The part of the agent's answer to the user's item that was heard. */
function answerTo({ history }: CallContext, item: number): string {
  const next = history.find((other) => other.id > item && other.type !== 'result' && other.text !== '');
  return next?.type === 'agent' ? (next.playedText ?? next.text) : '';
}

/**
 * The request for the agent's next words.
 *
 * @param functions whether the model may call functions
 * @param itemId the history item for the response; its text so far comes from a failed generation
 * @param llm the model to ask; the call's current one without it
 */
export function conversationRequest(
  step: RuleStep,
  functions: boolean,
  { itemId, llm = currentModel(step) }: { readonly itemId?: number; readonly llm?: AgentConfiguration['llm'] } = {},
): ModelRequest {
  const { agent, reply, stateIndex } = step.context;
  const partialText = itemId === undefined ? '' : (agentItem(step.context, itemId)?.text ?? '');
  const conversation = historyMessages(conversationItems(step.context));
  const last = conversation.at(-1)?.role;
  const corrections = reply?.corrections ?? [];
  // A tool that was called before the correction has not used the right words. Those that this reply calls have.
  const isResult = last === 'tool' && (corrections.length === 0 || (reply?.modelRequests ?? 0) > 1);
  const needsResponse = last === 'user' || isResult;
  const missing = corrections.length === 0 ? SILENT_USER_NOTE : correctionNote(step.context, corrections);
  const note = partialText !== '' ? CONTINUE_NOTE : needsResponse ? null : missing;
  return {
    ...requestTo(step.context, llm),
    messages: [
      { role: 'system', content: systemPrompt(step) },
      ...conversation,
      ...(note === null ? [] : [{ role: 'user' as const, content: note }]),
    ],
    functions: functions
      ? [
          ...modelFunctions(agent.states, stateIndex, variableParameters(step.context, stateIndex)),
          ...offeredKnowledgeFunctions(step.context),
        ]
      : [],
  };
}

function systemPrompt(step: RuleStep): string {
  const { agent, notes, parameters, summary } = step.context;
  const parts = [
    fillVariablesForPrompt(step, agent.base_prompt),
    fillVariablesForPrompt(step, step.state.prompt),
    knownValues(step.context),
    summary.text === null ? '' : `What was said before, in short:\n${quotedText(summary.text)}`,
    notes.length === 0
      ? ''
      : `What you were told during the call:\n${notes.map((note) => `- ${promptText(note)}`).join('\n')}`,
    `The call began at ${new Date(parameters.startedWallMs).toISOString()}. Speak in the language «${agent.language}».`,
    SPOKEN_STYLE,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
