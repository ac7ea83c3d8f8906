import type { JsonValue } from '../../engine/agent/json-value.ts';
import type { ModelMessage } from '../../engine/ports/language-model.ts';

export type MessageBlock =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: { [name: string]: JsonValue } }
  | { type: 'tool_result'; tool_use_id: string; content: string };

export interface MessageTurn {
  role: 'user' | 'assistant';
  content: MessageBlock[];
}

/** The text of a user turn that the API requires although the user has said nothing. */
const SILENCE = '(The caller says nothing.)';

/**
 * A conversation as the Messages API requires it
 * (https://platform.claude.com/docs/en/build-with-claude/working-with-messages). User and assistant alternate. The
 * first and the last turn are the user's, because many models refuse to continue an assistant turn. Tool results
 * belong to the user turn right after the calls, before its text. No text is empty.
 */
export function messageTurns(messages: readonly ModelMessage[]): MessageTurn[] {
  const turns: MessageTurn[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(message);
    const last = turns.at(-1);
    if (blocks.length === 0) continue;
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  const silence = (): MessageTurn => ({ role: 'user', content: [{ type: 'text', text: SILENCE }] });
  if (turns[0]?.role !== 'user') turns.unshift(silence());
  if (turns.at(-1)?.role !== 'user') turns.push(silence());
  return turns;
}

function blocksOf(message: Exclude<ModelMessage, { role: 'system' }>): MessageBlock[] {
  switch (message.role) {
    case 'user':
      return textOf(message.content);
    case 'tool':
      return [{ type: 'tool_result', tool_use_id: idOf(message.toolCallId), content: message.content }];
    case 'assistant':
      return [
        ...textOf(message.content),
        ...(message.toolCalls ?? []).map(
          (call): MessageBlock => ({
            type: 'tool_use',
            id: idOf(call.id),
            name: call.name,
            input: inputOf(call.arguments),
          }),
        ),
      ];
  }
}

function textOf(text: string): MessageBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text: text.trimEnd() }];
}

/** The API refuses some ids that another provider's model made before a failover. */
function idOf(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** The API accepts only an object. The result of the call describes unparsable arguments to the model. */
function inputOf(text: string): { [name: string]: JsonValue } {
  try {
    const input: unknown = JSON.parse(text);
    return isObject(input) ? input : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
