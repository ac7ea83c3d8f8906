/** A call never leaves a final status. */
export const FINAL_STATUSES = ['completed', 'no_answer', 'busy', 'canceled', 'failed'] as const;
export const OPEN_STATUSES = ['created', 'initiated', 'staged', 'ringing', 'in_progress'] as const;
export const CALL_STATUSES = [...OPEN_STATUSES, ...FINAL_STATUSES] as const;

export type FinalStatus = (typeof FINAL_STATUSES)[number];
export type OpenStatus = (typeof OPEN_STATUSES)[number];
export type CallStatus = (typeof CALL_STATUSES)[number];

export function isFinal(status: CallStatus): status is FinalStatus {
  return FINAL_STATUSES.some((final) => final === status);
}
