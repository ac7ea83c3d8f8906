import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { ProviderError } from './provider-error.ts';

/** One recognised word; times count from the first sample written to the stream. */
export interface TranscribedWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface TranscriberOptions {
  readonly provider: string;
  readonly model?: string;
  /** BCP 47. */
  readonly language: string;
  /** Words the user is likely to say. */
  readonly vocabulary: readonly string[];
  /** Format of the audio that is written. */
  readonly format: AudioFormat;
  /** Flux: confidence, 0.5–0.9, at which a turn has ended. */
  readonly eotThreshold?: number;
  /** Flux: confidence, 0.3–0.9, at which a turn has probably ended. */
  readonly eagerEotThreshold?: number;
}

/** All times are ms of audio since the first sample written to the stream. */
export type TranscriberEvent =
  /**
   * The provider accepts audio. Audio that was written earlier is buffered and now sent. A stream that replaces a lost one
   * gets no audio before this event.
   */
  | { readonly type: 'ready' }
  /** Words since the last final. They may still change. */
  | {
      readonly type: 'interim';
      readonly text: string;
      /** The language that was spoken, BCP 47. Left out by a transcriber that detects none. */
      readonly language?: string;
      /** Left out by a transcriber that reports no word times before a final. */
      readonly words?: readonly TranscribedWord[];
      readonly startMs: number;
      readonly endMs: number;
    }
  /**
   * Words that will not change: one final for each stretch of audio. A second one for the same stretch replaces the first.
   * No adapter reads an end of the turn from them: its provider has `turn` events for that.
   */
  | {
      readonly type: 'final';
      readonly text: string;
      /** The language that was spoken, BCP 47. Left out by a transcriber that detects none. */
      readonly language?: string;
      readonly words: readonly TranscribedWord[];
      readonly startMs: number;
      readonly endMs: number;
      /** End of the audio that the final is for, if that is after its last word: there are no other words up to here. */
      readonly coveredMs?: number;
    }
  /** The provider heard no word after `lastWordEndMs`. It outweighs our own voice activity. */
  | { readonly type: 'utterance_end'; readonly lastWordEndMs: number }
  /** Provider turn detection: `text` is the whole turn so far. `ended` closes the turn and equals the last `eager_end`. */
  | {
      readonly type: 'turn';
      readonly phase: 'started' | 'updated' | 'eager_end' | 'resumed' | 'ended';
      readonly text: string;
      /** The language that was spoken, BCP 47. Left out by a transcriber that detects none. */
      readonly language?: string;
      /** Left out by a transcriber that reports no word times. */
      readonly words?: readonly TranscribedWord[];
      readonly startMs: number;
      readonly endMs: number;
    }
  /** The stream has failed. No event follows. */
  | { readonly type: 'failed'; readonly error: ProviderError };

/** Settings that can change while a stream is open. */
export interface TranscriberChange {
  /** Confidence, 0.5–0.9, at which a turn ends from now on; absent: the provider's default. */
  readonly eotThreshold?: number;
}

/** Capabilities of a transcriber. The rules derive their waits from them. */
export interface TranscriberTraits {
  /** Provider turn detection: it sends `turn` events. */
  readonly detectsTurns: boolean;
  /** Its streams have `configure`. Absent: the options of a stream are constant. */
  readonly configurable?: boolean | undefined;
  /**
   * Each utterance has a deadline in the adapter. Missing words are only late before it, and make the stream fail at
   * it.
   */
  readonly hasDeadline?: boolean | undefined;
  /**
   * How much the end of the last word may lie before the end of the voice activity without a word in between, in ms.
   * Absent: its words have no times.
   */
  readonly wordEndSlackMs?: number | undefined;
  /** It puts marks at the ends of sentences. */
  readonly punctuates?: boolean | undefined;
  /** 99th percentile of end of speech → final, in ms. The rules do not wait longer for a final. */
  readonly finalP99Ms: number;
}

/**
 * Transcribes the audio of one user. `open` returns immediately. Audio written before `ready` is buffered (at most 5 s, the
 * oldest is dropped first) and sent later. Events follow in the order of the provider's messages, on a later turn of the
 * event loop, never inside `open` or `write`. After `close` no event is emitted.
 */
export interface Transcriber {
  /** Traits of a model; without a model, those of the provider's default model. */
  traitsOf(model: string | undefined): TranscriberTraits;
  open(options: TranscriberOptions, emit: (event: TranscriberEvent) => void): TranscriberStream;
}

export interface TranscriberStream {
  /** User audio in the format of the options, in order. The bytes are copied or sent before the method returns. */
  write(audio: Uint8Array): void;
  /** Requests the final of the audio written so far, without waiting for silence. Providers without such a request ignore it. */
  finalize(): void;
  /**
   * Replaces every earlier change, even one that has not reached the provider yet. There is no result: if the provider
   * rejects the change, the stream continues with its settings.
   */
  configure?(change: TranscriberChange): void;
  /** Ends the stream and frees its socket. Idempotent. */
  close(): void;
}
