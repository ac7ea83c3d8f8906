import { getListValues } from '../message/headers.ts';
import type { SipMessage } from '../message/sip-message.ts';

/** The refusal of a body in an encoding that we cannot read (RFC 3261 §8.2.3). */
export const ENCODED_BODY_REFUSAL = { status: 415, headers: { 'Accept-Encoding': 'identity' } } as const;

/** Whether the body has an encoding, such as gzip. */
export function isEncoded({ body, headers }: SipMessage): boolean {
  const encodings = getListValues(headers, 'Content-Encoding');
  return body.length > 0 && encodings.some((encoding) => encoding.toLowerCase() !== 'identity');
}
