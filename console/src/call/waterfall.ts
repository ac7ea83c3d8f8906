import type { Turn } from '../generated/client.ts';

/** The stages between the end of the user's speech and the first packet of the answer. */
export const STAGES = ['endpointing', 'model', 'tool', 'voice', 'service'] as const;
export type Stage = (typeof STAGES)[number];

export interface WaterfallBar {
  readonly stage: Stage;
  /** ms since the end of the user's speech. */
  readonly fromMs: number;
  readonly lengthMs: number;
}

/** A part of a turn, ms since the end of the user's speech. */
interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The response time of one turn by stage: each bar begins where the one before it ends. The model has the rest, which is the time of
 * its requests. Empty for a turn without a response time.
 */
export function waterfallOf(turn: Turn): readonly WaterfallBar[] {
  const { asked_ms: asked, engine_ms: engineMs, response_ms: responseMs } = turn;
  if (responseMs === null) return [];
  const endpointingMs = Math.min(turn.endpointing_ms ?? 0, responseMs);
  const answer = { fromMs: endpointingMs, toMs: responseMs };
  const voiceMs = within(voiceOf(turn), answer);
  const toolMs = ranMs(turn.tools, { ...answer, toMs: Math.min(responseMs, turn.voice_requested_ms ?? responseMs) });
  const restMs = Math.max(0, responseMs - endpointingMs - voiceMs - toolMs);
  // Without a request no model took it.
  const serviceMs = asked.length === 0 ? restMs : Math.min(restMs, engineMs ?? 0);
  return barsOf({
    endpointing: endpointingMs,
    model: restMs - serviceMs,
    tool: toolMs,
    voice: voiceMs,
    service: serviceMs,
  });
}

/** A user turn without a response: its end was certain, and then the user waited for model and tools until the call ended. */
export function unansweredBars(turn: Turn, callEndMs: number | null): readonly WaterfallBar[] {
  if (turn.user === null || turn.response_ms !== null) return [];
  const waitedMs = callEndMs === null ? turn.user.ended_ms : callEndMs - Date.parse(turn.start_time);
  const endpointingMs = Math.max(0, Math.min(waitedMs, turn.user.ended_ms));
  const toolMs = ranMs(turn.tools, { fromMs: endpointingMs, toMs: waitedMs });
  const modelMs = turn.asked_ms.length === 0 ? 0 : Math.max(0, waitedMs - endpointingMs - toolMs);
  return barsOf({ endpointing: endpointingMs, model: modelMs, tool: toolMs, voice: 0, service: 0 });
}

function barsOf(lengthsMs: Readonly<Record<Stage, number>>): readonly WaterfallBar[] {
  let atMs = 0;
  return STAGES.flatMap((stage) => {
    const bar = { stage, fromMs: atMs, lengthMs: lengthsMs[stage] };
    atMs += bar.lengthMs;
    return bar.lengthMs > 0 ? [bar] : [];
  });
}

/** From the first text of the answer to its first audio. */
function voiceOf({ first_audio_ms: toMs, voice_requested_ms: fromMs }: Turn): Stretch {
  return fromMs === null || toMs === null ? { fromMs: 0, toMs: 0 } : { fromMs, toMs };
}

function within(part: Stretch, whole: Stretch): number {
  return Math.max(0, Math.min(part.toMs, whole.toMs) - Math.max(part.fromMs, whole.fromMs));
}

/** How long at least one tool ran. */
function ranMs(tools: Turn['tools'], whole: Stretch): number {
  const byStart = tools.toSorted((one, other) => one.started_ms - other.started_ms);
  let sumMs = 0;
  let countedMs = whole.fromMs;
  for (const { ended_ms: endedMs, started_ms: fromMs } of byStart) {
    const toMs = endedMs ?? whole.toMs;
    sumMs += within({ fromMs, toMs }, { fromMs: countedMs, toMs: whole.toMs });
    countedMs = Math.max(countedMs, toMs);
  }
  return sumMs;
}
