import type { AgentConfiguration } from '../agent/agent.ts';
import type { JsonValue } from '../agent/json-value.ts';
import { textOf } from '../agent/templates.ts';
import type { Variable } from '../agent/variable-schema.ts';
import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { currentModel, providerOf } from '../current-providers/current-model.ts';
import type { ModelMessage, ModelRequest } from '../ports/language-model.ts';
import { offeredKnowledgeFunctions } from '../tool-definitions/knowledge-search-tool.ts';
import { extractionSchema, modelFunctions, objectSchema } from '../tool-definitions/model-functions.ts';
import { agentItem, historyMessages } from '../transcript/history.ts';
import { fillVariables } from '../variables/variables.ts';

/** How the model is to write for the phone. */
const SPOKEN_STYLE =
  'You are speaking on the phone. Answer in short spoken sentences, without lists, markup or emoji. ' +
  'Write numbers, times and addresses as they are read aloud.';

/** Behind an answer that broke off. It stands in no history. */
const GO_ON =
  '[Your last answer broke off. Go on from exactly where it stopped, and repeat nothing of it. If it was whole, say nothing.]';

/** Added where the agent spoke last: many models refuse to continue after themselves. It enters no history. */
const NOBODY_SPOKE = '[The caller has said nothing since. Go on with what you still owe them.]';

/**
 * What the model is asked for the agent's next words. Without `functions` it can only answer in words. `itemId`: where
 * they go; what that holds already was said by a generation that failed.
 */
export function conversationRequest(step: RuleStep, functions: boolean, itemId?: number): ModelRequest {
  const { agent, history, stateIndex } = step.context;
  const begun = itemId === undefined ? '' : (agentItem(step.context, itemId)?.text ?? '');
  const conversation = historyMessages(history);
  const last = conversation.at(-1)?.role;
  const isAsked = last === 'user' || last === 'tool';
  const note = begun !== '' ? GO_ON : isAsked ? null : NOBODY_SPOKE;
  return {
    ...requestTo(step.context, currentModel(step)),
    messages: [
      { role: 'system', content: systemPrompt(step) },
      ...conversation,
      ...(note === null ? [] : [{ role: 'user' as const, content: note }]),
    ],
    functions: functions
      ? [...modelFunctions(agent.states, stateIndex), ...offeredKnowledgeFunctions(step.context)]
      : [],
  };
}

/** Lines before the new ones, which an answer such as «yes, the second» may lean on. */
const CONTEXT_MESSAGES = 6;

/**
 * What the user has said of these variables since the last answer. One that was never asked for may stand anywhere
 * before: then all of it is given.
 */
export function extractionRequest(
  step: RuleStep,
  variables: readonly Variable[],
  llm: AgentConfiguration['llm'],
): ModelRequest {
  const { extraction, history, parameters, summary } = step.context;
  const { read, readThrough } = extraction;
  const all = historyMessages(history.filter(({ id }) => id <= readThrough)).flatMap(conversationText);
  const isWhole = variables.some(({ name }) => !read.has(name));
  const before = isWhole ? [...(summary.text === null ? [] : [summary.text]), ...all] : all.slice(-CONTEXT_MESSAGES);
  const texts = historyMessages(history.filter(({ id }) => id > readThrough)).flatMap(conversationText);
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

/** The turns that left the history, and the summary of those before them, as a shorter text. */
export function summaryRequest(step: RuleStep): ModelRequest {
  const { agent, summary } = step.context;
  const earlier = summary.text === null ? '' : `Summary of what came before:\n${summary.text}`;
  const texts = historyMessages(summary.dropped).flatMap(summaryText);
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
/** Of a tool's result, in the conversation that is summarised. */
const RESULT_CHARACTERS = 1_000;

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
    fillVariables(step, agent.base_prompt),
    fillVariables(step, step.state.prompt),
    knownValues(step.context),
    summary.text === null ? '' : `What was said before, in short:\n${summary.text}`,
    notes.length === 0 ? '' : `What you were told during the call:\n${notes.map((note) => `- ${note}`).join('\n')}`,
    `The call began at ${new Date(parameters.startedWallMs).toISOString()}. Speak in the language «${agent.language}».`,
    SPOKEN_STYLE,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Of one value: a response can map more onto a variable than the model is told of the response itself. */
const KNOWN_VALUE_CHARACTERS = 16_384;

/** Of all variables, or of these. */
function knownValues(context: CallContext, names?: ReadonlySet<string>): string {
  const known = [...context.variables].filter(([name]) => names?.has(name) !== false);
  const texts = known.map(([name, { value }]) => `- ${name}: ${shortText(value)}`);
  return texts.length === 0 ? '' : `What is known:\n${texts.join('\n')}`;
}

function shortText(value: JsonValue): string {
  const text = textOf(value);
  if (text.length <= KNOWN_VALUE_CHARACTERS) return text;
  return `${text.slice(0, KNOWN_VALUE_CHARACTERS).toWellFormed()} [the rest was left out]`;
}

function conversationText(message: ModelMessage): string[] {
  if (message.role === 'user') return [`Caller: ${message.content}`];
  return message.role === 'assistant' && message.content !== '' ? [`Agent: ${message.content}`] : [];
}

/** The results of tools as well: what was found out is part of the call. */
function summaryText(message: ModelMessage): string[] {
  if (message.role === 'tool')
    return [`A tool answered: ${message.content.slice(0, RESULT_CHARACTERS).toWellFormed()}`];
  return conversationText(message);
}
