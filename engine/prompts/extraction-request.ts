import type { AgentConfiguration } from '../agent/agent-schema.ts';
import type { Variable } from '../agent/variable-schema.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { ModelRequest } from '../ports/language-model.ts';
import { extractionSchema } from '../tool-definitions/model-functions.ts';
import { conversationItems, historyMessages } from '../transcript/history.ts';
import { quotedText } from '../variables/prompt-value.ts';
import { conversationText, knownValues, requestTo } from './request-parts.ts';

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
