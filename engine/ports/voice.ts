import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { ProviderError } from './provider-error.ts';

export interface VoiceOptions {
  readonly provider: string;
  readonly name: string;
  readonly model?: string;
  /** BCP 47. */
  readonly language: string;
  readonly instructions?: string;
  /** 0.5–2; 1 is the natural speed of the voice. */
  readonly speed: number;
  /** Texts that are equal in every call of the agent, the most important first. A phrase cache keeps their audio. */
  readonly phrases?: readonly string[];
  /** Format on the wire. A voice may use another format; each `audio` event states it. */
  readonly format: AudioFormat;
  /** The agent's dictionary of whole words, case-insensitive. The first entry for a word applies. */
  readonly pronunciations?: readonly Pronunciation[];
}

export interface Pronunciation {
  readonly from: string;
  /** The replacement in written form. */
  readonly to: string;
}

/** A word of a segment, as written in its text. Times count from the segment's first sample. */
export interface SpokenWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

export type VoiceEvent =
  /** Audio of a segment, in order. The bytes belong to the receiver. */
  | { readonly type: 'audio'; readonly segment: number; readonly format: AudioFormat; readonly audio: Uint8Array }
  /** Further words with their times, in order. Voices without word times never send it. */
  | { readonly type: 'words'; readonly segment: number; readonly words: readonly SpokenWord[] }
  /** The segment's last audio has been emitted. */
  | { readonly type: 'done'; readonly segment: number }
  /** The segment ends here. All audio emitted before is valid. */
  | { readonly type: 'failed'; readonly segment: number; readonly error: ProviderError };

/**
 * Speaks for one call. `open` returns immediately and connects before the first text. Segments (sentences or clauses) are
 * spoken in order and their events never interleave. Exactly one `done` or `failed` ends each segment that was not
 * cancelled. After `cancel` no event of an earlier segment is emitted; later segments are spoken.
 */
export interface Voice {
  open(options: VoiceOptions, emit: (event: VoiceEvent) => void): VoiceStream;
}

export interface VoiceStream {
  /** `segment`: chosen by the engine, never used twice on one stream. */
  speak(segment: number, text: string): void;
  /** Drops every segment passed so far. Idempotent. */
  cancel(): void;
  /** Ends the stream and frees its socket; no event follows. Idempotent. */
  close(): void;
}
