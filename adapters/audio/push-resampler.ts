import { linear16Bytes } from '../../base/audio/linear-samples.ts';
import { loadResamplers, type Resampler } from '../../base/audio/resampler.ts';

const resamplers = await loadResamplers();

/** Output of one `pull`; the resampler's own bound is 640. Unit: samples. */
const BLOCK_SAMPLES = 640;

/**
 * Converts one stream of samples to another rate, piece by piece. Its output is as long as its input, delayed by `latency`. It
 * holds WebAssembly memory until `free`.
 */
export class PushResampler {
  /** Delay of the output. Unit: samples of the input. */
  readonly latency: number;
  readonly #resampler: Resampler;
  readonly #block = new Int16Array(BLOCK_SAMPLES);

  /** @throws RangeError for a rate outside 8 kHz to 48 kHz */
  constructor(fromHz: number, toHz: number) {
    this.#resampler = resamplers.create(fromHz, toHz);
    this.latency = this.#resampler.latency;
    // The resampler keeps the first samples back as look-ahead. Silence fills it.
    this.take(new Int16Array(this.latency));
  }

  /** `samples` may be cut anywhere. */
  take(samples: Int16Array): Int16Array<ArrayBuffer> {
    const resampler = this.#resampler;
    const blocks: Int16Array[] = [];
    let at = 0;
    for (let made = 0; at < samples.length || made === BLOCK_SAMPLES; ) {
      const input = samples.subarray(at, at + resampler.inputSamplesMax);
      resampler.input.set(linear16Bytes(input));
      made = resampler.pull(input.length, this.#block, 0, BLOCK_SAMPLES);
      at += resampler.consumed;
      blocks.push(this.#block.slice(0, made));
    }
    return joined(blocks);
  }

  free(): void {
    this.#resampler.free();
  }
}

function joined(blocks: readonly Int16Array[]): Int16Array<ArrayBuffer> {
  const all = new Int16Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  return all;
}
