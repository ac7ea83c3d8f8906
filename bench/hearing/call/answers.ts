import type { ChatBody } from '../../../test/providers/openai/chat-emulator.ts';
import { type ChatAnswer, textAnswer, toolCallsAnswer } from '../../../test/providers/openai/chat-script.ts';

/** The language model of the bench: what a fast one takes. */
export const TIMING = { firstTokenMs: 350, tokenMs: 12 };
/** The tool that the model of `toolThenResult` calls. */
export const TOOL = 'look_up';

/** Names the number of the user's words, so that an answer to part of them is seen. */
export function countWords(body: ChatBody): ChatAnswer {
  return reply(answerTo(lastUserText(body)));
}

/** The answer of `countWords` to this text. */
export function answerTo(text: string): string {
  return `You have said ${text.split(/\s+/).filter((word) => word !== '').length} words, and I have written them all down.`;
}

/** The same answer to everything. */
export function always(text: string): (body: ChatBody) => ChatAnswer {
  return () => reply(text);
}

/** The first user turn calls the tool, the next ones are answered; one sentence states the tool's result. */
export function toolThenResult(body: ChatBody): ChatAnswer {
  const called = body.messages.some(({ tool_calls }) => tool_calls !== undefined);
  if (!called) return toolCallsAnswer([{ id: 'call_1', name: TOOL, arguments: '{}' }], '', TIMING);
  const last = body.messages.at(-1);
  if (last?.role === 'user' && !/look_up|result|tool/i.test(last.content ?? ''))
    return reply('The shop is in Station Road.');
  if (/running/i.test(last?.content ?? '')) return reply('I am still looking it up for you.');
  return reply('The result is here, and your order is on its way.');
}

export function reply(text: string): ChatAnswer {
  return textAnswer(text, TIMING);
}

function lastUserText({ messages }: ChatBody): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? '';
}
