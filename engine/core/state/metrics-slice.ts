import type { TurnMetrics } from '../../ports/journal.ts';

/** Topic `metrics`. */
export interface MetricsSlice {
  readonly metrics: MetricsState;
}

/** The counts from which the call's metrics are computed. */
export interface MetricsState {
  readonly interruptions: number;
  readonly falseInterruptions: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly voiceCharacters: number;
  /** One entry for each reply to a user turn. */
  readonly turns: readonly TurnMetrics[];
  readonly eagerHits: number;
  readonly eagerMisses: number;
}

export const INITIAL_METRICS: MetricsSlice = {
  metrics: {
    interruptions: 0,
    falseInterruptions: 0,
    inputTokens: 0,
    outputTokens: 0,
    voiceCharacters: 0,
    turns: [],
    eagerHits: 0,
    eagerMisses: 0,
  },
};
