import type { SipRequest } from '../message/sip-message.ts';
import { negotiateInterval } from '../session-timer/session-interval.ts';
import { headersByName } from './headers-by-name.ts';

/**
 * The session timer headers of our 2xx to a peer's INVITE or UPDATE (RFC 4028 §9). A drachtio-server runs the session timer that
 * they name. The embedded server negotiates itself and writes its own.
 */
export function sessionAnswer(request: SipRequest): Record<string, string> {
  const session = negotiateInterval(request, null);
  return session.type === 'agreed' ? headersByName(session.headers) : {};
}
