import { type AudioFormat, bytesPerSample } from '../../base/audio/audio-format.ts';

/**
 * Cuts a byte stream at sample boundaries. A provider may end a chunk in the middle of a 16-bit sample. At most one byte is held
 * back.
 */
export class WholeSamples {
  readonly #bytesPerSample: 1 | 2;
  #odd: number | undefined;

  constructor(format: AudioFormat) {
    this.#bytesPerSample = bytesPerSample(format);
  }

  /** The whole samples so far, possibly none. Returns `chunk` itself if nothing was cut. */
  take(chunk: Uint8Array): Uint8Array {
    if (this.#bytesPerSample === 1) return chunk;
    const joined = this.#odd === undefined ? chunk : Buffer.concat([Uint8Array.of(this.#odd), chunk]);
    const whole = joined.length - (joined.length % 2);
    this.#odd = joined[whole];
    return whole === joined.length ? joined : joined.subarray(0, whole);
  }

  /** Drops half a sample at the end of a segment. */
  reset(): void {
    this.#odd = undefined;
  }
}
