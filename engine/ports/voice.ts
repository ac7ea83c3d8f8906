import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { ProviderError } from './provider-error.ts';

export interface VoiceOptions {
  readonly provider: string;
  readonly name: string;
  readonly model?: string;
  /** BCP 47. */
  readonly language: string;
  readonly instructions?: string;
  /** 0.5–2; 1 is the voice's own. */
  readonly speed: number;
  /** Texts that every call of the agent speaks alike, the most needed first: worth keeping where voices are cached. */
  readonly phrases?: readonly string[];
  /** What the call speaks on the wire. A voice that cannot give it gives another, told in each `audio`. */
  readonly format: AudioFormat;
  /** The agent's dictionary: whole words, whatever their case. The first entry for a word counts. */
  readonly pronunciations?: readonly Pronunciation[];
}

export interface Pronunciation {
  readonly from: string;
  /** What is said in its place, as it would be written. */
  readonly to: string;
}

/** A word of a segment as its text has it, however it is said; times count from the segment's first sample. */
export interface SpokenWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

export type VoiceEvent =
  /** Audio of a segment, in order. The bytes belong to the receiver. */
  | { readonly type: 'audio'; readonly segment: number; readonly format: AudioFormat; readonly audio: Uint8Array }
  /** More words with their times, in order; voices without word times never send it. */
  | { readonly type: 'words'; readonly segment: number; readonly words: readonly SpokenWord[] }
  /** The segment's last audio has been emitted. */
  | { readonly type: 'done'; readonly segment: number }
  /** The segment ends here; what was emitted of it is whole up to there. */
  | { readonly type: 'failed'; readonly segment: number; readonly error: ProviderError };

/**
 * Speaks for one call. `open` returns at once and connects ahead of the first text. Segments (sentences or clauses) are
 * spoken in the order given and their events never interleave; exactly one of `done` and `failed` ends each segment
 * that was not cancelled. After `cancel` no event of the segments given before it is emitted; later ones are spoken.
 */
export interface Voice {
  open(options: VoiceOptions, emit: (event: VoiceEvent) => void): VoiceStream;
}

export interface VoiceStream {
  /** `segment` is the user's own number for it, never used twice on one stream. */
  speak(segment: number, text: string): void;
  /** Drops every segment given so far. Idempotent. */
  cancel(): void;
  /** Ends the stream and frees its socket; no event follows. Idempotent. */
  close(): void;
}
