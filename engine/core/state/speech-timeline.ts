import type { TranscribedWord } from '../../ports/transcriber.ts';

/**
 * The speech of the user in this call that may still change. `…Ms`: position in the user's audio. The times of
 * transcribers shift, so they are hints: texts decide first.
 */
export interface SpeechTimeline {
  /** In the order of the speech. Segments whose words cannot change any more are removed. */
  readonly segments: readonly SpeechSegment[];
  /** The number of the last segment. */
  readonly segmentCount: number;
  /** The commit marks of the last turns, in order: late words amend their entries. */
  readonly committed: readonly CommittedSpeech[];
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
  /** A final has all words of the audio up to here; left out: up to `endMs`. */
  readonly coveredMs?: number;
}

/** One stretch of words: an interim and its final, or one turn of a transcriber that detects turns. */
export interface SpeechSegment {
  readonly number: number;
  /** Number of texts of this segment so far. */
  readonly revision: number;
  /** `lost`: open, but its stream has failed. The next words of the new stream replace it. */
  readonly state: 'open' | 'lost' | 'final';
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** With times; empty if the transcriber reports none. */
  readonly words: readonly TranscribedWord[];
  /** The turns that own its words, in the order of the words. Words after the last claim belong to the open turn. */
  readonly claims: readonly SpeechClaim[];
}

/** The claim of a committed turn on the next words of a segment. */
export interface SpeechClaim {
  /** `OpenEntry.sequence` of its transcript entry. */
  readonly entry: number;
  /** The number of these words. */
  readonly words: number;
}

/** The speech of a committed turn, up to its commit mark. */
export interface CommittedSpeech {
  /** `OpenEntry.sequence` of its transcript entry. */
  readonly entry: number;
  /** End of its last word. */
  readonly wordsEndMs: number;
  /** Start of its voice activity; null: there was none. */
  readonly activityStartMs: number | null;
  /** End of its voice activity; null: it continued, or there was none. */
  readonly activityEndMs: number | null;
}

export const NO_SPEECH: SpeechTimeline = { segments: [], segmentCount: 0, committed: [], finalUntilMs: 0 };
