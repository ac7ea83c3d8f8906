import type { Call } from '../generated/client.ts';
import type { Tone } from '../ui/badge.tsx';

const TONES: Readonly<Record<Call['status'], Tone>> = {
  created: 'plain',
  initiated: 'plain',
  staged: 'plain',
  ringing: 'info',
  in_progress: 'info',
  completed: 'good',
  no_answer: 'warn',
  busy: 'warn',
  canceled: 'warn',
  failed: 'bad',
};

export function statusTone(status: Call['status']): Tone {
  return TONES[status];
}

/** From the answer to the end, or to now. 0 before the answer. */
export function durationMs(call: Pick<Call, 'start_time' | 'end_time'>, nowMs: number): number {
  if (call.start_time === null) return 0;
  return (call.end_time === null ? nowMs : Date.parse(call.end_time)) - Date.parse(call.start_time);
}
