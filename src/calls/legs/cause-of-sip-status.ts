import type { LegEndCause } from '../../../engine/ports/call-control.ts';

/** The cause with which an outbound leg ends, by the final SIP status of its INVITE (RFC 3261 §21). */
export function causeOfStatus(status: number): LegEndCause {
  if (status === 486 || status === 600 || status === 603) return 'busy';
  if (status === 408 || status === 480 || status === 487) return 'no_answer';
  return status >= 500 ? 'sip_error' : 'rejected';
}

/** Why a transfer did not reach the callee, as text for the model; null for other statuses. */
export function transferFailureOfStatus(status: number | null): string | null {
  if (status === 486 || status === 600) return 'the line is busy';
  if (status === 603) return 'the call was declined';
  if (status === 480 || status === 487) return 'nobody answered';
  return status === 404 || status === 604 ? 'the number does not exist' : null;
}
