import { createHash } from 'node:crypto';
import type { ModelMessage } from '../../engine/ports/language-model.ts';

/** The assistant's words between a tool result and a user who interrupted before the response. */
const INTERRUPTED = '…';

/**
 * A conversation as Mistral requires it: call ids have nine letters or digits, and no user message follows a tool
 * result directly. Mistral refuses any other conversation with 400. Failover from another provider leaves ids
 * of that provider, and an interruption causes the wrong order.
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

/** The same id gives the same result, so that a call and its result still match. */
function idOf(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
}
