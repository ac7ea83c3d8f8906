import type { AgentConfiguration } from '../agent/agent-schema.ts';
import type { JsonValue } from '../agent/json-value.ts';
import { textOf } from '../agent/templates.ts';
import type { CallContext } from '../core/context.ts';
import { providerOf } from '../current-providers/current-model.ts';
import type { ModelMessage, ModelRequest } from '../ports/language-model.ts';
import { promptText, promptValue } from '../variables/prompt-value.ts';

/** Model and temperature of a request. */
export function requestTo(
  context: CallContext,
  llm: AgentConfiguration['llm'],
): Pick<ModelRequest, 'provider' | 'model' | 'temperature'> {
  const { model, temperature } = llm;
  return { provider: providerOf(context, llm), model, ...(temperature === undefined ? {} : { temperature }) };
}

/** Length of one variable value in a prompt. A response mapping can set a value that is longer than the tool result. */
const KNOWN_VALUE_CHARACTERS_MAX = 16_384;

/** A paragraph with the values of variables, or an empty text. `names`: the variables; all without it. */
export function knownValues(context: CallContext, names?: ReadonlySet<string>): string {
  const known = [...context.variables].filter(([name]) => names?.has(name) !== false);
  const texts = known.map(([name, { value }]) => `- ${promptText(name)}: ${shortText(value)}`);
  return texts.length === 0 ? '' : `What is known:\n${texts.join('\n')}`;
}

function shortText(value: JsonValue): string {
  const text = textOf(value);
  if (text.length <= KNOWN_VALUE_CHARACTERS_MAX) return promptValue(value);
  return `${promptText(text.slice(0, KNOWN_VALUE_CHARACTERS_MAX).toWellFormed())} [the rest was left out]`;
}

/** The line of a message in a text of the conversation. Empty for one without words, or of a tool. */
export function conversationText(message: ModelMessage): string[] {
  if (message.role === 'user') return [`Caller: ${promptText(message.content)}`];
  return message.role === 'assistant' && message.content !== '' ? [`Agent: ${promptText(message.content)}`] : [];
}
