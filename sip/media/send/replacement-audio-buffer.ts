import type { Resampler, Resamplers } from '../../../base/audio/resampler.ts';
import type { ReplacementAudio } from '../audio-bridge/audio-relay.ts';

const NARROWBAND_HZ = 8000;
const WIDEBAND_HZ = 16_000;
/** Samples that are resampled at once: 20 ms. */
const PIECE_SAMPLES = 160;

/**
 * Buffers the audio that is sent instead of the agent's. The source delivers 20 ms per tick; packets have any length. For
 * a wideband encoder, audio at 8 kHz is resampled. Allocates nothing per packet.
 */
export class ReplacementAudioBuffer {
  /** Samples that were drawn but not sent yet, at the source's rate. */
  readonly samples: Int16Array;
  readonly #resamplers: Resamplers;
  #source: ReplacementAudio | null = null;
  #upsampler: Resampler | null = null;

  /** @param capacityMs the longest packet and one tick */
  constructor(capacityMs: number, resamplers: Resamplers) {
    this.samples = new Int16Array((capacityMs * WIDEBAND_HZ) / 1000);
    this.#resamplers = resamplers;
  }

  get isActive(): boolean {
    return this.#source !== null;
  }

  /** Samples of the source per sample at 8 kHz. All counts in this class are at 8 kHz. */
  get #samplesPerCount(): number {
    return (this.#source?.rateHz ?? NARROWBAND_HZ) / NARROWBAND_HZ;
  }

  setSource(source: ReplacementAudio | null): void {
    this.#source = source;
    this.samples.fill(0);
  }

  /** Draws the next 20 ms after the first `waiting` samples. */
  draw(waiting: number): void {
    this.#source?.fill(this.samples, waiting * this.#samplesPerCount);
  }

  /** Removes the first `count` samples, which were sent. */
  shift(count: number): void {
    this.samples.copyWithin(0, count * this.#samplesPerCount);
  }

  /** Writes the first `needed` samples at 16 kHz and returns their number. */
  widen(into: Int16Array, needed: number): number {
    if (this.#source?.rateHz === WIDEBAND_HZ) {
      for (let i = 0; i < needed; i++) into[i] = this.samples[i] ?? 0;
      return needed;
    }
    this.#upsampler ??= this.#resamplers.create(NARROWBAND_HZ, WIDEBAND_HZ);
    const { samples } = this;
    const upsampler = this.#upsampler;
    for (let at = 0; at < needed; at += 2 * PIECE_SAMPLES) {
      const piece = Math.min(PIECE_SAMPLES, (needed - at) / 2);
      const { input } = upsampler;
      for (let i = 0; i < piece; i++) {
        const sample = samples[at / 2 + i] ?? 0;
        input[2 * i] = sample;
        input[2 * i + 1] = sample >> 8;
      }
      const missing = 2 * piece - upsampler.pull(piece, into, at, 2 * piece);
      if (missing === 0) continue;
      // The filter delays the stream once by its length. Silence is inserted at the start to complete the packet.
      into.copyWithin(at + missing, at, at + 2 * piece - missing);
      into.fill(0, at, at + missing);
    }
    return needed;
  }

  /** Frees memory outside the JavaScript heap; the object stays usable. */
  free(): void {
    this.#upsampler?.free();
    this.#upsampler = null;
  }
}
