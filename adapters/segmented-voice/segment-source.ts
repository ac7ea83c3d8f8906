import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type { SpokenWord } from '../../engine/ports/voice.ts';

/** Receives the events of one segment. The source never emits inside a call of its methods. */
export interface SegmentSink {
  /** A chunk may end in the middle of a sample. */
  audio(format: AudioFormat, audio: Uint8Array): void;
  /** Characters or words of the given text, in order, with times from the first sample. */
  words(words: readonly SpokenWord[]): void;
  done(): void;
  failed(error: ProviderError): void;
}

export interface SegmentRun {
  /** All segments before this one have ended: the source emits the events that it held back. */
  becomeFirst?(): void;
  /** Ends the segment; its sink ignores everything that follows. */
  drop(): void;
}

/** The audio source of one call's segments. `SegmentQueue` puts their events in order. */
export interface SegmentSource {
  /** Segments in progress at the same time, the current one included. */
  readonly segmentsMax: number;
  begin(text: string, sink: SegmentSink): SegmentRun;
  /** Closes a connection that has stopped responding. The next `begin` opens another. */
  abandon(): void;
  /** Releases everything. No `begin` follows. */
  close(): void;
}
