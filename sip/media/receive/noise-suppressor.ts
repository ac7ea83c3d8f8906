import loadRnnoise, { type Rnnoise } from '@echogarden/rnnoise-wasm';
import type { Resampler, Resamplers } from '../../../base/audio/resampler.ts';

const RNNOISE_HZ = 48_000;
/** RNNoise takes 10 ms at once. Its output is as late. */
const FRAME_SAMPLES = 480;
const FRAMES_PER_S = 100;
const BYTES_PER_FLOAT = 4;
/** Bound of one output: 0.2 s at 16 kHz, longer than any packet. */
const OUTPUT_SAMPLES_MAX = 3_200;
const PULL_SAMPLES_MAX = 640;

export type CreateNoiseSuppressor = (rateHz: number) => NoiseSuppressor;

/** The WebAssembly memory for one frame, which all streams of a thread share. */
interface Scratch {
  readonly input: number;
  readonly output: number;
}

let loaded: Promise<readonly [Rnnoise, Scratch]> | null = null;

/** Loads RNNoise at the first call that needs it, once per thread. */
export async function loadNoiseSuppression(resamplers: Resamplers): Promise<CreateNoiseSuppressor> {
  loaded ??= load();
  const [rnnoise, scratch] = await loaded;
  return (rateHz) => new NoiseSuppressor(rnnoise, scratch, resamplers, rateHz);
}

async function load(): Promise<readonly [Rnnoise, Scratch]> {
  const rnnoise = await loadRnnoise();
  const bytes = FRAME_SAMPLES * BYTES_PER_FLOAT;
  return [rnnoise, { input: rnnoise._malloc(bytes), output: rnnoise._malloc(bytes) }];
}

/**
 * Removes noise from one stream of 16-bit samples. The output comes some milliseconds late (`held`), but sample for sample at
 * the position of the input. Allocates nothing per piece.
 */
export class NoiseSuppressor {
  readonly rateHz: number;
  /** The output of the last `suppress` or `drain`. */
  readonly output = new Int16Array(OUTPUT_SAMPLES_MAX);
  readonly #rnnoise: Rnnoise;
  readonly #scratch: Scratch;
  readonly #up: Resampler;
  readonly #down: Resampler;
  #state: number;
  readonly #frame = new Int16Array(FRAME_SAMPLES + PULL_SAMPLES_MAX);
  #filled = 0;
  #isFirstFrame = true;
  /** Samples that came in and did not go out yet. */
  #held = 0;
  readonly #silence: Int16Array;

  /** @throws RangeError without memory for another stream */
  constructor(rnnoise: Rnnoise, scratch: Scratch, resamplers: Resamplers, rateHz: number) {
    this.rateHz = rateHz;
    this.#rnnoise = rnnoise;
    this.#scratch = scratch;
    this.#silence = new Int16Array(rateHz / FRAMES_PER_S);
    this.#up = resamplers.create(rateHz, RNNOISE_HZ);
    this.#down = resamplers.create(RNNOISE_HZ, rateHz);
    this.#state = rnnoise._rnnoise_create(0);
    if (this.#state === 0) throw new RangeError('No memory for another noise suppressor');
  }

  get held(): number {
    return this.#held;
  }

  /** Takes the first `count` samples. Returns the number of samples in `output`. */
  suppress(samples: Int16Array, count: number): number {
    const piece = this.#silence.length;
    let made = 0;
    for (let at = 0; at < count; at += piece) made = this.#take(samples, at, Math.min(piece, count - at), made);
    this.#held += count - made;
    return made;
  }

  /** Ends the stream: the samples that are held go to `output`. Returns their number. */
  drain(): number {
    const held = this.#held;
    let made = 0;
    while (made < held) made = this.#take(this.#silence, 0, this.#silence.length, made);
    this.#held = 0;
    return held;
  }

  free(): void {
    if (this.#state === 0) return;
    this.#rnnoise._rnnoise_destroy(this.#state);
    this.#state = 0;
    this.#up.free();
    this.#down.free();
  }

  #take(samples: Int16Array, from: number, count: number, made: number): number {
    fill(this.#up.input, samples, from, count);
    this.#filled += this.#up.pull(count, this.#frame, this.#filled, PULL_SAMPLES_MAX);
    if (this.#filled < FRAME_SAMPLES) return made;
    this.#process();
    let after = made;
    if (this.#isFirstFrame) this.#isFirstFrame = false;
    else {
      fill(this.#down.input, this.#frame, 0, FRAME_SAMPLES);
      after += this.#down.pull(FRAME_SAMPLES, this.output, made, PULL_SAMPLES_MAX);
    }
    this.#frame.copyWithin(0, FRAME_SAMPLES, this.#filled);
    this.#filled -= FRAME_SAMPLES;
    return after;
  }

  /** Suppresses noise in the first frame of `#frame`, in place. */
  #process(): void {
    const rnnoise = this.#rnnoise;
    const { input, output } = this.#scratch;
    const frame = this.#frame;
    for (let i = 0; i < FRAME_SAMPLES; i++) rnnoise.HEAPF32[input / BYTES_PER_FLOAT + i] = frame[i] ?? 0;
    rnnoise._rnnoise_process_frame(this.#state, output, input);
    for (let i = 0; i < FRAME_SAMPLES; i++) {
      const sample = Math.round(rnnoise.HEAPF32[output / BYTES_PER_FLOAT + i] ?? 0);
      frame[i] = Math.max(-32_768, Math.min(32_767, sample));
    }
  }
}

function fill(bytes: Uint8Array, samples: Int16Array, from: number, count: number): void {
  for (let i = 0; i < count; i++) {
    const sample = samples[from + i] ?? 0;
    bytes[2 * i] = sample;
    bytes[2 * i + 1] = sample >> 8;
  }
}
