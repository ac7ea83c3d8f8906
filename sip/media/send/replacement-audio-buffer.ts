import type { Resamplers } from '../../../base/audio/resampler.ts';
import { Upsampler } from '../../../base/audio/upsampler.ts';
import type { ReplacementAudio } from '../audio-bridge/audio-relay.ts';

const NARROWBAND_HZ = 8000;
const WIDEBAND_HZ = 16_000;

/**
 * Buffers the audio that is sent instead of the agent's. The source delivers 20 ms per tick; packets have any length. For
 * a wideband encoder, audio at 8 kHz is resampled. Allocates nothing per packet.
 */
export class ReplacementAudioBuffer {
  /** Samples that were drawn but not sent yet, at the source's rate. */
  readonly samples: Int16Array;
  readonly #upsampler: Upsampler;
  #source: ReplacementAudio | null = null;

  /** @param capacityMs the longest packet and one tick */
  constructor(capacityMs: number, resamplers: Resamplers) {
    this.samples = new Int16Array((capacityMs * WIDEBAND_HZ) / 1000);
    this.#upsampler = new Upsampler(resamplers);
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
    const made = this.#upsampler.upsample(this.samples, needed / 2, into);
    if (made < needed) {
      // The filter delays the stream once by its length. Silence is inserted at the start to complete the packet.
      into.copyWithin(needed - made, 0, made);
      into.fill(0, 0, needed - made);
    }
    return needed;
  }

  /** Frees memory outside the JavaScript heap; the object stays usable. */
  free(): void {
    this.#upsampler.free();
  }
}
