import type { Call, CallTimeline, TranscriptEntry } from '../generated/client.ts';

/** A stretch on the time axis, ms since the answer. */
export interface AxisStretch {
  readonly startMs: number;
  readonly endMs: number;
}

/** Shortest stretch that is drawn, ms: an event without a length can still be seen and clicked. */
const STRETCH_MS_MIN = 120;

/** The answer, or the creation of a call that was not answered: 0 on the axis, ms since 1970. */
export function axisStartMs(call: Pick<Call, 'start_time' | 'created_at'>): number {
  return Date.parse(call.start_time ?? call.created_at);
}

/** Length of the axis, ms: to the end of the call, or of what is known of a running one. */
export function axisLengthMs(call: Pick<Call, 'start_time' | 'created_at' | 'end_time' | 'transcript'>): number {
  const startMs = axisStartMs(call);
  const times = call.transcript.map((entry) => Date.parse(entry.end_time ?? entry.start_time));
  const endMs = call.end_time === null ? Math.max(startMs, ...times) : Date.parse(call.end_time);
  return Math.max(1_000, endMs - startMs);
}

/** The stretch of the axis that an entry of the transcript covers. */
export function stretchOf(entry: Pick<TranscriptEntry, 'start_time' | 'end_time'>, startMs: number): AxisStretch {
  const from = Math.max(0, Date.parse(entry.start_time) - startMs);
  return drawnStretch(from, entry.end_time === null ? null : Date.parse(entry.end_time) - startMs);
}

/** A stretch that can be seen. Null: it has no length. */
export function drawnStretch(fromMs: number, toMs: number | null): AxisStretch {
  const startMs = Math.max(0, fromMs);
  return { startMs, endMs: Math.max(startMs + STRETCH_MS_MIN, toMs ?? startMs) };
}

/** The stretch of the user's words up to the end of their voice. A transcriber may date words later than they were spoken. */
export function voicedStretch(words: AxisStretch, voice: CallTimeline['user_voice']): AxisStretch {
  const heard = voice.findLast(({ end_ms, start_ms }) => end_ms > words.startMs && start_ms < words.endMs);
  if (heard === undefined) return words;
  return drawnStretch(words.startMs, Math.min(words.endMs, heard.end_ms));
}
