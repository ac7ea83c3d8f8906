import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

/** An INVITE from an allowed source. */
export interface InboundCaller {
  readonly invite: InboundInvite;
  /** The trunk that it came by; null if the organization has none. */
  readonly trunk: SipTrunkRecord | null;
  readonly organizationId: string;
  readonly isSourceTrusted: boolean;
  /** E.164; null for an anonymous caller. */
  readonly fromNumber: string | null;
  /** See `CallRecord`. Of a trusted source alone: others could make us write the trace of each call. */
  readonly traceparent: string | null;
}
