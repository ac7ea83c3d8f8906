import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type { SpokenWord } from '../../engine/ports/voice.ts';

/** Takes what becomes of one segment; nothing of it is told from inside a call of its source. */
export interface SegmentSink {
  /** A chunk may end in the middle of a sample. */
  audio(format: AudioFormat, audio: Uint8Array): void;
  /** Characters or words of the text as it was handed over, in order, each with its time from the first sample. */
  words(words: readonly SpokenWord[]): void;
  done(): void;
  failed(error: ProviderError): void;
}

export interface SegmentRun {
  /** All before it have been told: what the source held back is wanted now. */
  lead?(): void;
  /** Nothing more of it is wanted; its sink takes nothing any more. */
  drop(): void;
}

/** Where the audio of one call's segments comes from; the order they are told in is `SpeechLine`'s. */
export interface SegmentSource {
  /** Segments under way at once, the one that is being told included. */
  readonly segmentsMax: number;
  begin(text: string, sink: SegmentSink): SegmentRun;
  /** What was begun does not come: let go of the connection that owes it. The next `begin` makes another. */
  abandon(): void;
  /** Frees everything. Nothing is begun afterwards. */
  close(): void;
}
