import { type AudioFormat, bytesPerSample } from '../../base/audio/audio-format.ts';

/** Bound of the audio buffered until the connection is open; the oldest is dropped. */
const KEPT_MS_MAX = 5_000;

/** Audio that waits for its socket. It counts what it dropped, so that times stay correct. */
export class PendingAudio {
  readonly #bytesPerMs: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #droppedBytes = 0;

  constructor(format: AudioFormat) {
    this.#bytesPerMs = (bytesPerSample(format) * format.sampleRateHz) / 1000;
  }

  get droppedMs(): number {
    return Math.round(this.#droppedBytes / this.#bytesPerMs);
  }

  /** `audio` is copied. */
  add(audio: Uint8Array): void {
    this.#chunks.push(Uint8Array.from(audio));
    this.#bytes += audio.length;
    while (this.#bytes > KEPT_MS_MAX * this.#bytesPerMs) {
      const oldest = this.#chunks.shift();
      if (oldest === undefined) return;
      this.#bytes -= oldest.length;
      this.#droppedBytes += oldest.length;
    }
  }

  /** Removes and returns all buffered audio. */
  take(): Uint8Array {
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    return all;
  }
}
