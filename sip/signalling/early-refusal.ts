import { getHeader } from '../message/headers.ts';
import { tagOf } from '../message/name-address.ts';
import type { SipRequest } from '../message/sip-message.ts';
import { SDP_TYPE, sdpOfBody } from '../sdp/sdp-body.ts';
import { MIN_SE_SECONDS, negotiateInterval } from '../session-timer/session-interval.ts';
import { ENCODED_BODY_REFUSAL, isEncoded } from './body-encoding.ts';

/** A refusal of an INVITE before the handler. */
export interface EarlyRefusal {
  readonly status: number;
  readonly detail: string;
  /** They state how a caller may retry (RFC 3261 §21.4.13, RFC 4028 §6). */
  readonly headers?: Readonly<Record<string, string>>;
}

export const ACCEPTED_BODIES = 'application/sdp, multipart/mixed';

export const BAD_REQUEST: EarlyRefusal = { status: 400, detail: 'malformed request' };
const ENCODED_BODY: EarlyRefusal = { ...ENCODED_BODY_REFUSAL, detail: 'encoded body' };
const UNKNOWN_DIALOG: EarlyRefusal = { status: 481, detail: 'unknown dialog' };
const NO_CONTACT: EarlyRefusal = { status: 400, detail: 'no Contact' };
const SHORT_INTERVAL: EarlyRefusal = {
  status: 422,
  detail: 'session interval too short',
  headers: { 'Min-SE': String(MIN_SE_SECONDS) },
};
const NO_SDP: EarlyRefusal = { status: 415, detail: 'a body without SDP', headers: { Accept: ACCEPTED_BODIES } };

/** null: the handler decides on the INVITE. */
export function earlyRefusalOf(invite: SipRequest): EarlyRefusal | null {
  const { headers, body } = invite;
  if (isEncoded(invite)) return ENCODED_BODY;
  if (tagOf(getHeader(headers, 'To') ?? '') !== null) return UNKNOWN_DIALOG;
  if (getHeader(headers, 'Contact') === null) return NO_CONTACT;
  if (negotiateInterval(invite, null).type === 'too_small') return SHORT_INTERVAL;
  const type = getHeader(headers, 'Content-Type') ?? SDP_TYPE;
  return body.length > 0 && sdpOfBody(type, new TextDecoder().decode(body)) === null ? NO_SDP : null;
}
