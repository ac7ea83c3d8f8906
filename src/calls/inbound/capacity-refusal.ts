import type { MediaService } from '../../../sip/media/media-service.ts';
import type { Refusal } from '../../telephony/refusals/refusal-cause.ts';
import { SERVICE_UNAVAILABLE } from '../../telephony/refusals/refusal-status.ts';

/** `Retry-After` while this process drains: its successor is starting. */
export const DRAINING_RETRY_SECONDS = 10;

export interface CapacityRefusal {
  readonly refusal: Refusal;
  readonly retryAfterSeconds: number;
}

/** The refusal of an INVITE for which this process has no capacity; null: it has. */
export function capacityRefusal(
  capacity: ReturnType<MediaService['capacity']>,
  isDraining: boolean,
): CapacityRefusal | null {
  if (!capacity.accepted) return refusalFor('overloaded', capacity.retryAfterSeconds);
  return isDraining ? refusalFor('draining', DRAINING_RETRY_SECONDS) : null;
}

function refusalFor(cause: 'draining' | 'overloaded', retryAfterSeconds: number): CapacityRefusal {
  return { refusal: { cause, status: SERVICE_UNAVAILABLE, detail: null, organizationId: null }, retryAfterSeconds };
}
