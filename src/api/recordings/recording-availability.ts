import type { CallRecord } from '../../storage/calls/call-record.ts';
import { isFinal } from '../../storage/schema/call-status.ts';

export const RECORDING_UNAVAILABLE_REASONS = ['not_ended', 'not_recorded', 'refused', 'disk', 'deleted'] as const;

/** Why a call has no recording to offer. null: it has one, available since the end of the call. */
export function recordingUnavailable(call: CallRecord): (typeof RECORDING_UNAVAILABLE_REASONS)[number] | null {
  if (!isFinal(call.status)) return 'not_ended';
  // Its file is deleted before its path.
  if (call.recordingConsent === 'refused') return 'refused';
  if (call.recordingPath !== null) return null;
  if (call.deletedMs !== null) return 'deleted';
  return call.recordingComplete === false ? 'disk' : 'not_recorded';
}
