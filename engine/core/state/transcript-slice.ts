import type { ModelToolCall } from '../../ports/language-model.ts';

/** Topics `transcript` and `summary`. */
export interface TranscriptSlice {
  /** The conversation as the model sees it, in order. */
  readonly history: readonly HistoryItem[];
  /** Turns that left the history because of its budget, and their summary. */
  readonly summary: SummaryState;
}

/** A transcript entry that may still be rewritten: its place is fixed, its text is not. */
export interface OpenEntry {
  readonly sequence: number;
  readonly startUs: number;
}

export type HistoryItem =
  | { readonly type: 'user'; readonly id: number; readonly text: string }
  | {
      readonly type: 'agent';
      readonly id: number;
      /** The generated text. */
      readonly text: string;
      /** The text that was played, once it is known to be shorter. */
      readonly playedText: string | null;
      readonly calls: readonly ModelToolCall[];
      readonly entry: OpenEntry | null;
    }
  /** The one result of a tool call. */
  | { readonly type: 'result'; readonly id: number; readonly toolCallId: string; readonly content: string };

export type AgentItem = Extract<HistoryItem, { readonly type: 'agent' }>;

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

export const INITIAL_TRANSCRIPT: TranscriptSlice = {
  history: [],
  summary: { text: null, running: null, dropped: [], callIds: [] },
};
