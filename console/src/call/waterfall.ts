import type { Turn } from '../generated/client.ts';

/** The stages between the end of the user's speech and the first packet of the answer. */
export const STAGES = ['endpointing', 'model', 'voice', 'service'] as const;
export type Stage = (typeof STAGES)[number];

export interface WaterfallBar {
  readonly stage: Stage;
  /** ms since the end of the user's speech. */
  readonly fromMs: number;
  readonly lengthMs: number;
}

/** The stages of one turn in their order: each begins where the one before it ends. Empty for a turn without a response time. */
export function waterfallOf(turn: Turn): readonly WaterfallBar[] {
  const parts: readonly (readonly [Stage, number | null])[] = [
    ['endpointing', turn.endpointing_ms],
    ['model', turn.llm_first_token_ms],
    ['voice', turn.voice_first_audio_ms],
  ];
  if (turn.response_ms === null) return [];
  const bars: WaterfallBar[] = [];
  let atMs = 0;
  for (const [stage, ms] of parts) {
    const lengthMs = Math.min(ms ?? 0, turn.response_ms - atMs);
    if (lengthMs <= 0) continue;
    bars.push({ stage, fromMs: atMs, lengthMs });
    atMs += lengthMs;
  }
  // Sentence cutting, queues and pacing: what no provider took.
  if (turn.response_ms > atMs) bars.push({ stage: 'service', fromMs: atMs, lengthMs: turn.response_ms - atMs });
  return bars;
}

/** A user turn without a response: it was certain that it had ended, and then the user waited for the model until the call ended. */
export function unansweredBars(turn: Turn, callEndMs: number | null): readonly WaterfallBar[] {
  if (turn.user === null || turn.response_ms !== null) return [];
  const waitedMs = callEndMs === null ? turn.user.ended_ms : callEndMs - Date.parse(turn.start_time);
  const endpointing: WaterfallBar = {
    stage: 'endpointing',
    fromMs: 0,
    lengthMs: Math.max(0, Math.min(waitedMs, turn.user.ended_ms)),
  };
  if (turn.asked_ms.length === 0 || waitedMs <= endpointing.lengthMs) return [endpointing];
  return [endpointing, { stage: 'model', fromMs: endpointing.lengthMs, lengthMs: waitedMs - endpointing.lengthMs }];
}
