import { canonicalName } from '../message/headers.ts';
import type { SipHeader, SipRequest } from '../message/sip-message.ts';
import type { Hops } from '../transport/hop.ts';
import { cseqNumberOf } from './dialog-state.ts';

/** A 2xx to an INVITE of ours: the application acknowledges it, and a repeated one gets the same ACK again. */
export interface SentAck {
  /** CSeq number of the INVITE. */
  readonly cseq: number;
  /** Of the INVITE: the ACK proves what that one proved (RFC 3261 §13.2.2.4), for nobody may challenge it. */
  readonly credentials: readonly SipHeader[];
  /** The 2xx had no Contact: the dialog is of no use, and ends with the ACK. */
  readonly endsAtOnce: boolean;
  /** null until the application has acknowledged. */
  ack: { readonly request: SipRequest; readonly hops: Hops } | null;
}

const CREDENTIALS = ['authorization', 'proxy-authorization'];

/** What the ACK of a 2xx to this INVITE will need. */
export function ackTo(invite: SipRequest, endsAtOnce: boolean): SentAck {
  const credentials = invite.headers.filter(({ name }) => CREDENTIALS.includes(canonicalName(name)));
  return { cseq: cseqNumberOf(invite), credentials, endsAtOnce, ack: null };
}
