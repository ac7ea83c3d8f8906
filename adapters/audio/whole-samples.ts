import { type AudioFormat, bytesPerSample } from '../../base/audio/audio-format.ts';

/**
 * Cuts a byte stream at sample boundaries: a provider may end a chunk in the middle of a 16-bit sample, and from there
 * on everything would be noise. At most one byte is held back.
 */
export class WholeSamples {
  readonly #bytesPerSample: 1 | 2;
  #odd: number | undefined;

  constructor(format: AudioFormat) {
    this.#bytesPerSample = bytesPerSample(format);
  }

  /** The whole samples so far; empty where there is none yet. `chunk` itself is answered where nothing was cut. */
  take(chunk: Uint8Array): Uint8Array {
    if (this.#bytesPerSample === 1) return chunk;
    const joined = this.#odd === undefined ? chunk : Buffer.concat([Uint8Array.of(this.#odd), chunk]);
    const whole = joined.length - (joined.length % 2);
    this.#odd = joined[whole];
    return whole === joined.length ? joined : joined.subarray(0, whole);
  }

  /** A byte without its other half is not a sample: it is dropped where a segment ends. */
  reset(): void {
    this.#odd = undefined;
  }
}
