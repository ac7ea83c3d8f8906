import type { ModelMessage, ModelRequest } from '../../../engine/ports/language-model.ts';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** What a strict provider answers with 400, or nothing. */
export function refusals(request: ModelRequest): readonly string[] {
  const faults: string[] = [];
  const { messages } = request;
  if (messages[0]?.role !== 'system') faults.push('no system message first');
  const last = messages.at(-1)?.role;
  if (last !== 'user' && last !== 'tool') faults.push(`the last message is the ${last}’s`);
  const ids = messages.flatMap((message) => callIds(message));
  if (new Set(ids).size !== ids.length) faults.push('an id of a call is used twice');
  for (const [index, message] of messages.entries()) faults.push(...messageFaults(messages, index, message));
  for (const one of request.functions) if (!NAME.test(one.name)) faults.push(`function name ${one.name}`);
  const names = request.functions.map(({ name }) => name);
  if (new Set(names).size !== names.length) faults.push('two functions have one name');
  return faults;
}

function callIds(message: ModelMessage): readonly string[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [];
}

function messageFaults(messages: readonly ModelMessage[], index: number, message: ModelMessage): readonly string[] {
  const before = messages[index - 1];
  switch (message.role) {
    case 'system':
      return index === 0 ? [] : ['a system message in the middle'];
    case 'user':
      return [
        ...(message.content === '' ? ['an empty user message'] : []),
        ...(before?.role === 'user' ? ['two user messages'] : []),
      ];
    case 'assistant': {
      const calls = message.toolCalls ?? [];
      const answered = messages.slice(index + 1, index + 1 + calls.length);
      const paired = calls.every(
        ({ id }) => answered.filter((one) => one.role === 'tool' && one.toolCallId === id).length === 1,
      );
      return [
        ...(message.content === '' && calls.length === 0 ? ['an empty assistant message'] : []),
        ...(paired ? [] : ['a call without its one result right behind it']),
        ...calls.flatMap(({ name, arguments: text }) => [
          ...(NAME.test(name) ? [] : [`call name ${name}`]),
          ...(text.startsWith('{') && isJson(text) ? [] : ['arguments that are no JSON object']),
        ]),
      ];
    }
    case 'tool': {
      const asked = messages.slice(0, index).findLast(({ role }) => role !== 'tool');
      return asked !== undefined && callIds(asked).includes(message.toolCallId) ? [] : ['a result without its call'];
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
