import type { TurnRecord } from '../../ports/turn-record.ts';
import type { TurnDraft } from './turn-draft.ts';

/** Topic `metrics`. */
export interface MetricsSlice {
  readonly metrics: MetricsState;
}

/** The records and counts from which the call's metrics are computed. */
export interface MetricsState {
  /** The closed records, in order. */
  readonly turns: readonly TurnRecord[];
  /** The last turn that was committed, or the last reply that answers none. */
  readonly currentTurn: TurnDraft | null;
  /** The user turn that the model was asked about, until its commit. */
  readonly pendingTurn: TurnDraft | null;
  /** Records until now, those without a heard word too. */
  readonly turnCount: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly voiceCharacters: number;
  readonly eagerHits: number;
  readonly eagerMisses: number;
}

export const INITIAL_METRICS: MetricsSlice = {
  metrics: {
    turns: [],
    currentTurn: null,
    pendingTurn: null,
    turnCount: 0,
    inputTokens: 0,
    outputTokens: 0,
    voiceCharacters: 0,
    eagerHits: 0,
    eagerMisses: 0,
  },
};
