import type { CallSpan, SpanOf, SpanType } from './call-span.ts';
import type { SilenceCause } from './silence.ts';

/** A time in which the call waited for something. Of two waits at one moment, that of the lower rank counts. */
export interface Wait {
  readonly rank: number;
  readonly fromUs: number;
  readonly toUs: number;
  readonly cause: SilenceCause;
}

/**
 * Of two waits at one moment the one with the lower rank counts: halted media, the user's turn, failures, tools, then the
 * voice before the model. A wait for a machine explains what no request does: one for a connected callee lasts a minute.
 */
export const RANKS = {
  halt: 0,
  pause: 1,
  transcriberFailure: 2,
  overload: 3,
  sound: 4,
  turnEnd: 5,
  requestFailure: 6,
  tool: 7,
  voice: 8,
  model: 9,
  machine: 10,
  noWords: 11,
} as const;

/** Spans of the given type. */
export function spansOf<T extends SpanType>(spans: readonly CallSpan[], type: T): readonly SpanOf<T>[] {
  return spans.filter((span): span is SpanOf<T> => span.type === type);
}
