import { canonicalName } from '../message/headers.ts';
import type { SipHeader, SipRequest } from '../message/sip-message.ts';
import type { Hops } from '../transport/transport-address.ts';
import { cseqNumberOf } from './dialog-state.ts';

/** The ACK to a 2xx. The application sends it; the server repeats it for a repeated 2xx. */
export interface SentAck {
  /** CSeq number of the INVITE. */
  readonly cseq: number;
  /** The credentials of the INVITE, which its ACK repeats because an ACK cannot be challenged (RFC 3261 §13.2.2.4). */
  readonly credentials: readonly SipHeader[];
  /** The 2xx had no Contact: the dialog is unusable and ends after the ACK. */
  readonly endsAtOnce: boolean;
  /** null until the application has acknowledged. */
  ack: { readonly request: SipRequest; readonly hops: Hops } | null;
}

const CREDENTIALS = ['authorization', 'proxy-authorization'];

/** The data for the ACK to a 2xx of this INVITE. */
export function ackTo(invite: SipRequest, endsAtOnce: boolean): SentAck {
  const credentials = invite.headers.filter(({ name }) => CREDENTIALS.includes(canonicalName(name)));
  return { cseq: cseqNumberOf(invite), credentials, endsAtOnce, ack: null };
}
