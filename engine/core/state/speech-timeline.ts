import type { TranscribedWord } from '../../ports/transcriber.ts';

/**
 * What the user has said in the call, as far as it may still change. `…Ms`: position in the user's audio. The times of
 * transcribers shift, so they are hints: texts decide first.
 */
export interface SpeechTimeline {
  /** In the order of the speech. Segments whose words cannot change any more are gone. */
  readonly segments: readonly SpeechSegment[];
  /** The number of the last segment. */
  readonly segmentCount: number;
  readonly committed: CommittedSpeech | null;
  /** The transcriber sends no more finals for audio before this position. */
  readonly finalUntilMs: number;
}

/** News of the transcriber: the whole text of one segment. */
export interface SpeechRevision {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Empty if the transcriber reports no word times. */
  readonly words: readonly TranscribedWord[];
  readonly isFinal: boolean;
}

/** One stretch of words: an interim and its final, or one turn of a transcriber that detects turns. */
export interface SpeechSegment {
  readonly number: number;
  /** Counts the texts that it has had. */
  readonly revision: number;
  /** `lost`: open, but its stream has failed. The next words of the new stream replace it. */
  readonly state: 'open' | 'lost' | 'final';
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** With times; empty if the transcriber reports none. */
  readonly words: readonly TranscribedWord[];
  /** The commit mark: its words from the first one on that no longer belong to the open turn, in order. */
  readonly claims: readonly SpeechClaim[];
}

/** Words of a segment that belong to one transcript entry, or to none (an echo). */
export interface SpeechClaim {
  readonly entry: number | null;
  readonly words: number;
}

/** The speech before the last commit mark. */
export interface CommittedSpeech {
  /** `OpenEntry.sequence` of the entry that it belongs to; null: to none. */
  readonly entry: number | null;
  /** End of its last word. */
  readonly wordsEndMs: number;
  /** End of its voice activity; null: it continued, or there was none. */
  readonly activityEndMs: number | null;
}

export const NO_SPEECH: SpeechTimeline = { segments: [], segmentCount: 0, committed: null, finalUntilMs: 0 };
