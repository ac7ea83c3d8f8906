import type { HistoryItem } from './transcript-slice.ts';

/** Topic `history-summary`. */
export interface HistorySummarySlice {
  /** Turns that left the history because of its budget, and their summary. */
  readonly summary: SummaryState;
}

export interface SummaryState {
  /** The summary of all dropped turns so far; null before the first. */
  readonly text: string | null;
  /** The running request; `covers`: the number of dropped items that it summarises. */
  readonly running: { readonly number: number; readonly covers: number } | null;
  /** Items that left the history and are in no summary yet. */
  readonly dropped: readonly HistoryItem[];
  /** Ids of the tool calls that left the history: no later call reuses one. */
  readonly callIds: readonly string[];
}

export const INITIAL_HISTORY_SUMMARY: HistorySummarySlice = {
  summary: { text: null, running: null, dropped: [], callIds: [] },
};
