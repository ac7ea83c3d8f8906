import { createHash } from 'node:crypto';
import type { ModelMessage } from '../../engine/ports/language-model.ts';

/** What the assistant says between a call's result and a caller who did not wait for its words. */
const INTERRUPTED = '…';

/**
 * A conversation as Mistral takes it: ids of calls have nine letters or digits, and no user speaks right behind a call's
 * result. Both are refused with 400, and both come about: by a fallback from another provider, and by an interruption.
 */
export function mistralMessages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.flatMap((message, at): ModelMessage[] => {
    if (message.role === 'tool') return [{ ...message, toolCallId: idOf(message.toolCallId) }];
    if (message.role === 'assistant' && message.toolCalls !== undefined) {
      return [{ ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: idOf(call.id) })) }];
    }
    const isCut = message.role === 'user' && messages[at - 1]?.role === 'tool';
    return isCut ? [{ role: 'assistant', content: INTERRUPTED }, message] : [message];
  });
}

/** The same for the same id, so that a call and its result still belong together. */
function idOf(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
}
