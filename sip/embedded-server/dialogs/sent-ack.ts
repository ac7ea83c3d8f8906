import type { SipRequest } from '../message.ts';
import type { Hops } from '../transport/hop.ts';

/** A 2xx to an INVITE of ours: the application acknowledges it, and a repeated one gets the same ACK again. */
export interface SentAck {
  /** CSeq number of the INVITE. */
  readonly cseq: number;
  /** The 2xx had no Contact: the dialog is of no use, and ends with the ACK. */
  readonly endsAtOnce: boolean;
  /** null until the application has acknowledged. */
  ack: { readonly request: SipRequest; readonly hops: Hops } | null;
}
