import type { CreateNoiseSuppressor, NoiseSuppressor } from './noise-suppressor.ts';

/** The noise suppression of one peer's audio: off until started; after an error, the audio goes on as it is. */
export class CleanAudio {
  #create: CreateNoiseSuppressor | null = null;
  #failed: (error: unknown) => void = () => undefined;
  /** Null before the first samples at a rate. */
  #suppressor: NoiseSuppressor | null = null;

  get isOn(): boolean {
    return this.#create !== null;
  }

  /** @param failed called at most once: the suppression has ended */
  start(create: CreateNoiseSuppressor, failed: (error: unknown) => void): void {
    if (this.#create !== null) return;
    this.#create = create;
    this.#failed = failed;
  }

  /** Replaces the first `count` samples by those without noise; returns their number. Unchanged while it is off. */
  clean(samples: Int16Array, count: number, rateHz: number): number {
    if (this.#create === null) return count;
    try {
      this.#suppressor ??= this.#create(rateHz);
      const made = this.#suppressor.suppress(samples, count);
      return this.#copy(made, samples);
    } catch (error) {
      const held = this.#suppressor?.held ?? 0;
      this.free();
      this.#failed(error);
      // The position of later samples stays.
      samples.copyWithin(held, 0, count);
      samples.fill(0, 0, held);
      return held + count;
    }
  }

  /** The codec changes its rate: replaces the first samples by those that are held. Returns their number. */
  drain(samples: Int16Array): number {
    const suppressor = this.#suppressor;
    if (suppressor === null) return 0;
    const made = this.#copy(suppressor.drain(), samples);
    suppressor.free();
    this.#suppressor = null;
    return made;
  }

  /** Ends the suppression. */
  free(): void {
    this.#suppressor?.free();
    this.#suppressor = null;
    this.#create = null;
  }

  #copy(count: number, into: Int16Array): number {
    const output = this.#suppressor?.output;
    for (let i = 0; i < count; i++) into[i] = output?.[i] ?? 0;
    return count;
  }
}
