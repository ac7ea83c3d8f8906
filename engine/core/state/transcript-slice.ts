import type { ModelToolCall } from '../../ports/language-model.ts';

/** Topic `transcript`. */
export interface TranscriptSlice {
  /** The conversation as the model sees it, in order. */
  readonly history: readonly HistoryItem[];
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

export const INITIAL_TRANSCRIPT: TranscriptSlice = { history: [] };
