import type { ModelMessage, ModelRequest } from '../../../engine/ports/language-model.ts';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The reasons for which a strict provider rejects the request with 400. */
export function rejectionReasons(request: ModelRequest): readonly string[] {
  const reasons: string[] = [];
  const { messages } = request;
  if (messages[0]?.role !== 'system') reasons.push('no system message first');
  const last = messages.at(-1)?.role;
  if (last !== 'user' && last !== 'tool') reasons.push(`the last message has the role ${last}`);
  const ids = messages.flatMap((message) => callIds(message));
  if (new Set(ids).size !== ids.length) reasons.push('a tool call id is repeated');
  for (const [index, message] of messages.entries()) reasons.push(...messageFaults(messages, index, message));
  for (const offeredFunction of request.functions)
    if (!NAME.test(offeredFunction.name)) reasons.push(`function name ${offeredFunction.name}`);
  const names = request.functions.map(({ name }) => name);
  if (new Set(names).size !== names.length) reasons.push('two functions have one name');
  return reasons;
}

function callIds(message: ModelMessage): readonly string[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [];
}

function messageFaults(messages: readonly ModelMessage[], index: number, message: ModelMessage): readonly string[] {
  const previous = messages[index - 1];
  switch (message.role) {
    case 'system':
      return index === 0 ? [] : ['a system message in the middle'];
    case 'user':
      return [
        ...(message.content === '' ? ['an empty user message'] : []),
        ...(previous?.role === 'user' ? ['two user messages in a row'] : []),
      ];
    case 'assistant': {
      const toolCalls = message.toolCalls ?? [];
      const results = messages.slice(index + 1, index + 1 + toolCalls.length);
      const hasOneResultEach = toolCalls.every(
        ({ id }) =>
          results.filter((offeredFunction) => offeredFunction.role === 'tool' && offeredFunction.toolCallId === id)
            .length === 1,
      );
      return [
        ...(message.content === '' && toolCalls.length === 0 ? ['an empty assistant message'] : []),
        ...(hasOneResultEach ? [] : ['a tool call is not followed by exactly one result']),
        ...toolCalls.flatMap(({ name, arguments: text }) => [
          ...(NAME.test(name) ? [] : [`call name ${name}`]),
          ...(text.startsWith('{') && isJson(text) ? [] : ['arguments are no JSON object']),
        ]),
      ];
    }
    case 'tool': {
      const lastOther = messages.slice(0, index).findLast(({ role }) => role !== 'tool');
      return lastOther !== undefined && callIds(lastOther).includes(message.toolCallId)
        ? []
        : ['a tool result without its call'];
    }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
