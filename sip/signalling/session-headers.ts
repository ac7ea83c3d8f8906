import type { SipHeader, SipRequest } from '../message/sip-message.ts';
import { negotiateInterval } from '../session-timer/session-interval.ts';

/**
 * The session headers of our 2xx to a peer's INVITE or UPDATE (RFC 4028 §9). A drachtio-server runs the session timer that
 * they name. The embedded server negotiates itself and writes its own.
 */
export function sessionAnswer(request: SipRequest): Record<string, string> {
  const session = negotiateInterval(request, null);
  return session.type === 'agreed' ? headersByName(session.headers) : {};
}

export function headersByName(headers: readonly SipHeader[]): Record<string, string> {
  return Object.fromEntries(headers.map(({ name, value }) => [name, value]));
}
