import { parseMessage } from '../message/parse-message.ts';
import type { SipMessage } from '../message/sip-message.ts';
import type { SrfMessage } from './srf-client.ts';

/** The message as received or sent; null if it is malformed. */
export function readMessage({ raw }: SrfMessage): SipMessage | null {
  const parsed = parseMessage(new TextEncoder().encode(raw));
  return parsed.ok ? parsed.message : null;
}
