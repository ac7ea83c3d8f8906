import type { AgentConfiguration } from '../agent/agent.ts';
import type { JsonValue } from '../agent/json-value.ts';
import { textOf } from '../agent/templates.ts';
import type { Variable } from '../agent/variable-schema.ts';
import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Correction } from '../core/state/turn-detection-slice.ts';
import { currentModel, providerOf } from '../current-providers/current-model.ts';
import type { ModelMessage, ModelRequest } from '../ports/language-model.ts';
import { offeredKnowledgeFunctions } from '../tool-definitions/knowledge-search-tool.ts';
import { extractionSchema, modelFunctions, objectSchema } from '../tool-definitions/model-functions.ts';
import { variableParameters } from '../tool-definitions/variable-parameters.ts';
import { agentItem, conversationItems, historyMessages } from '../transcript/history.ts';
import { promptText, promptValue, quotedText } from '../variables/prompt-value.ts';
import { fillVariablesForPrompt } from '../variables/variables.ts';

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

/** Added if answers of the agent, the last one or earlier ones, were to words that were transcribed wrongly. It is not part of the history. */
function correctionNote(context: CallContext, corrections: readonly Correction[]): string {
  const said = corrections.map(({ item, words }) => {
    const answer = answerTo(context, item).slice(0, QUOTED_ANSWER_MAX);
    const before = answer === '' ? '' : `Before you answered ${quotedText(answer)}, `;
    return `${before}${before === '' ? 'The' : 'the'} caller said: ${promptText(words)}`;
  });
  return `[Some words of the caller were misheard when you answered them. ${said.join(' ')} Answer that now, briefly.]`;
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
  const needsResponse = last === 'user' || last === 'tool';
  const missing =
    reply == null || reply.corrections.length === 0
      ? SILENT_USER_NOTE
      : correctionNote(step.context, reply.corrections);
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

/** Earlier messages that an extraction gets as context for answers such as «yes, the second». */
const CONTEXT_MESSAGES = 6;

/**
 * The request for the values of these variables. It contains the conversation since the last extraction. If a variable
 * was in no extraction before, it contains the whole conversation.
 */
export function extractionRequest(
  step: RuleStep,
  variables: readonly Variable[],
  llm: AgentConfiguration['llm'],
): ModelRequest {
  const { extraction, parameters, summary } = step.context;
  const history = conversationItems(step.context);
  const { read, readThrough } = extraction;
  const all = historyMessages(
    history.filter(({ id }) => id <= readThrough),
    'tool',
  ).flatMap(conversationText);
  const isWhole = variables.some(({ name }) => !read.has(name));
  const before = isWhole
    ? [...(summary.text === null ? [] : [quotedText(summary.text)]), ...all]
    : all.slice(-CONTEXT_MESSAGES);
  const texts = historyMessages(
    history.filter(({ id }) => id > readThrough),
    'tool',
  ).flatMap(conversationText);
  const today = new Date(parameters.startedWallMs).toISOString().slice(0, 10);
  const system =
    'Read the conversation and give the value of each field, as far as the caller has stated it. What is known already is ' +
    'given again only where the new lines change it. Use null for the rest; guess nothing. Of two statements the later ' +
    `one counts. The call began on ${today}.`;
  const parts = [
    knownValues(step.context, new Set(variables.map(({ name }) => name))),
    before.length === 0 ? '' : `Said before:\n${before.join('\n')}`,
    `New:\n${texts.join('\n')}`,
  ];
  return {
    ...requestTo(step.context, llm),
    temperature: 0,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: parts.filter((part) => part !== '').join('\n\n') },
    ],
    functions: [],
    answerSchema: { name: 'variables', schema: extractionSchema(variables) },
  };
}

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

const SUMMARY_SCHEMA = objectSchema([{ name: 'summary', type: 'string', description: '' }]);
/** Length of a tool result in the text to be summarised. */
const RESULT_CHARACTERS_MAX = 1_000;

function requestTo(
  context: CallContext,
  llm: AgentConfiguration['llm'],
): Pick<ModelRequest, 'provider' | 'model' | 'temperature'> {
  const { model, temperature } = llm;
  return { provider: providerOf(context, llm), model, ...(temperature === undefined ? {} : { temperature }) };
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

/** Length of one variable value in a prompt. A response mapping can set a value that is longer than the tool result. */
const KNOWN_VALUE_CHARACTERS_MAX = 16_384;

/** @param names the variables; all without it */
function knownValues(context: CallContext, names?: ReadonlySet<string>): string {
  const known = [...context.variables].filter(([name]) => names?.has(name) !== false);
  const texts = known.map(([name, { value }]) => `- ${promptText(name)}: ${shortText(value)}`);
  return texts.length === 0 ? '' : `What is known:\n${texts.join('\n')}`;
}

function shortText(value: JsonValue): string {
  const text = textOf(value);
  if (text.length <= KNOWN_VALUE_CHARACTERS_MAX) return promptValue(value);
  return `${promptText(text.slice(0, KNOWN_VALUE_CHARACTERS_MAX).toWellFormed())} [the rest was left out]`;
}

function conversationText(message: ModelMessage): string[] {
  if (message.role === 'user') return [`Caller: ${promptText(message.content)}`];
  return message.role === 'assistant' && message.content !== '' ? [`Agent: ${promptText(message.content)}`] : [];
}

/** Includes tool results, since the summary must keep their information. */
function summaryText(message: ModelMessage): string[] {
  if (message.role === 'tool')
    return [`A tool answered: ${promptText(message.content.slice(0, RESULT_CHARACTERS_MAX).toWellFormed())}`];
  return conversationText(message);
}
