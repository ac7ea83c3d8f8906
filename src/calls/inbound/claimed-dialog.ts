import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import type { CallPatch } from '../../storage/calls/call-record.ts';

/**
 * Stored with the claim, before the 180. From then on a dead process leaves enough for a BYE, whether or not the 200 was sent. A
 * caller that saw no 200 has an early dialog: it accepts the BYE, or refuses it with 481.
 * @param traceparent of the call, as far as it is known; null: not stored
 */
export function claimedDialog(
  { recovery, sipCallId }: Pick<InboundInvite, 'recovery' | 'sipCallId'>,
  traceparent: string | null = null,
): CallPatch {
  return { sipCallId, ...(recovery !== null && { dialog: recovery }), ...(traceparent !== null && { traceparent }) };
}
