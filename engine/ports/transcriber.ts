import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { ProviderError } from './provider-error.ts';

/** One recognised word; times count from the first sample written to the stream. */
export interface TranscribedWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly confidence?: number;
}

export interface TranscriberOptions {
  readonly provider: string;
  readonly model?: string;
  /** BCP 47. */
  readonly language: string;
  /** Words the user is likely to say. */
  readonly vocabulary: readonly string[];
  /** What `write` is going to be given. */
  readonly format: AudioFormat;
  /** Flux: confidence, 0.5–0.9, at which a turn has ended. */
  readonly eotThreshold?: number;
  /** Flux: confidence, 0.3–0.9, at which a turn has probably ended. */
  readonly eagerEotThreshold?: number;
}

/** All times are ms of audio since the first sample written to the stream. */
export type TranscriberEvent =
  /**
   * The provider takes audio. Audio written earlier was kept and is being sent; a stream that takes the place of a lost
   * one is given none before.
   */
  | { readonly type: 'ready' }
  /** The provider heard speech begin. */
  | { readonly type: 'speech'; readonly audioMs: number }
  /** Words that may still change, of the segment since the last final. */
  | { readonly type: 'interim'; readonly text: string; readonly startMs: number; readonly endMs: number }
  /** Words that will not change. `endOfTurn`: the provider says that the speaker has finished. */
  | {
      readonly type: 'final';
      readonly text: string;
      readonly words: readonly TranscribedWord[];
      readonly startMs: number;
      readonly endMs: number;
      readonly endOfTurn: boolean;
    }
  /** Nothing more was heard after the word that ended at `lastWordEndMs`; the backstop of `endOfTurn`. */
  | { readonly type: 'utterance_end'; readonly lastWordEndMs: number }
  /** Provider turn detection: `text` is the whole turn so far. `ended` closes the turn and equals the last `eager_end`. */
  | {
      readonly type: 'turn';
      readonly phase: 'started' | 'updated' | 'eager_end' | 'resumed' | 'ended';
      readonly text: string;
      readonly startMs: number;
      readonly endMs: number;
    }
  /** The stream is gone; no event follows. */
  | { readonly type: 'failed'; readonly error: ProviderError };

/** What can be asked of a stream that is open. */
export interface TranscriberChange {
  /** Confidence, 0.5–0.9, at which a turn has ended from now on; absent: what the provider takes by itself. */
  readonly eotThreshold?: number;
}

/** What a transcriber can do, so that the rules know what to wait for. */
export interface TranscriberTraits {
  /** It decides by itself when a turn has ended (`turn` events). */
  readonly detectsTurns: boolean;
  /** Its streams have `configure`. Absent: what a stream was opened with holds to its end, and nothing is asked of it. */
  readonly configurable?: boolean | undefined;
  /** It has a deadline of its own for each utterance: words that do not come by then fail, and until then are only late. */
  readonly hasDeadline?: boolean | undefined;
  /** 99th percentile of end of speech → final, in ms; a final is not waited for longer. */
  readonly finalP99Ms: number;
}

/**
 * Turns one user's audio into words. `open` returns at once; bytes written before `ready` are kept (at most 5 s, the
 * oldest dropped first) and sent. Events come in the order of the provider's messages, on a later turn of the event
 * loop, never from inside `open` or `write`. After `close` no event is emitted.
 */
export interface Transcriber {
  /** Of a provider whose models differ, those of this one; without a model, of the one it takes by itself. */
  traitsOf(model: string | undefined): TranscriberTraits;
  open(options: TranscriberOptions, emit: (event: TranscriberEvent) => void): TranscriberStream;
}

export interface TranscriberStream {
  /** User audio in the format of the options, in order. The bytes are copied or sent before `write` returns. */
  write(audio: Uint8Array): void;
  /** Asks for the final of what was written so far, without waiting for silence. Providers that cannot ignore it. */
  finalize(): void;
  /**
   * Takes the place of any change asked before, also where that has not reached the provider yet. Nothing is told of its
   * outcome: where the provider refuses it, the stream goes on as it was.
   */
  configure?(change: TranscriberChange): void;
  /** Ends the stream and frees its socket. Idempotent. */
  close(): void;
}
