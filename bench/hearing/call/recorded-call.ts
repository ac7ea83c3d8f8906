import { rootMeanSquare } from '../../../test/rtp-peer/tone.ts';
import type { SpokenLine } from './spoken-line.ts';

/** Both channels of one call on one time axis, as the user heard and said them. 8 kHz. */
export interface RecordedCall {
  readonly user: Int16Array;
  readonly agent: Int16Array;
  readonly lines: readonly { readonly fromMs: number; readonly toMs: number; readonly line: SpokenLine }[];
  /** How late the caller itself sent a frame at most. */
  readonly slipMs: number;
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Root mean square above which the agent is heard: −48 dB below full scale, far below a ducked voice. */
export const AGENT_LEVEL = 130;
const BLOCK_MS = 10;

/** The spans in which the channel is loud; silences shorter than `mergeMs` belong to them. */
export function voicedSpans(channel: Int16Array, mergeMs: number): readonly Span[] {
  const spans: { fromMs: number; toMs: number }[] = [];
  const block = BLOCK_MS * 8;
  for (let at = 0; at + block <= channel.length; at += block) {
    if (rootMeanSquare(channel.subarray(at, at + block)) < AGENT_LEVEL) continue;
    const fromMs = at / 8;
    const last = spans.at(-1);
    if (last !== undefined && fromMs - last.toMs < mergeMs) last.toMs = fromMs + BLOCK_MS;
    else spans.push({ fromMs, toMs: fromMs + BLOCK_MS });
  }
  return spans;
}

/** The longest silence between the begin and the end of `within`, in ms. */
export function longestSilence(channel: Int16Array, within: Span): number {
  const part = channel.subarray(Math.max(0, within.fromMs) * 8, within.toMs * 8);
  const lengthMs = part.length / 8;
  let longest = 0;
  let lastMs = 0;
  for (const { fromMs, toMs } of voicedSpans(part, BLOCK_MS)) {
    longest = Math.max(longest, fromMs - lastMs);
    lastMs = toMs;
  }
  return Math.max(longest, lengthMs - lastMs);
}
