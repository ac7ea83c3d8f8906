import { percentilesOf } from '../percentiles.ts';

/** A pause of the user, and when the rules end the turn within it. */
export interface JudgedTurn {
  /** Undefined: the turn is complete. */
  readonly pauseMs: number | undefined;
  readonly endedAfterMs: number;
}

/** False cut-ins against response delay. */
export interface Outcome {
  readonly open: number;
  /** Turns that ended before the user went on. */
  readonly falseCutIns: number;
  /** Delay of the answer to a complete turn, from the end of speech. */
  readonly delayP50Ms: number;
  readonly delayMeanMs: number;
}

export function outcomeOf(turns: readonly JudgedTurn[]): Outcome {
  const open = turns.filter(({ pauseMs }) => pauseMs !== undefined);
  const delays = turns.filter(({ pauseMs }) => pauseMs === undefined).map(({ endedAfterMs }) => endedAfterMs);
  return {
    open: open.length,
    falseCutIns: open.filter(({ pauseMs = 0, endedAfterMs }) => endedAfterMs < pauseMs).length,
    delayP50Ms: percentilesOf(delays).p50,
    delayMeanMs: Math.round(delays.reduce((sum, delay) => sum + delay, 0) / Math.max(1, delays.length)),
  };
}
