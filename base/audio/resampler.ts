import loadSpeex, { type SpeexResampler } from '@echogarden/speex-resampler-wasm/simd';

/** From 0 to 10. Speex recommends 3 for telephony: 3 ms of delay, which is skipped at the start, and 2–4 µs per frame. */
const QUALITY = 3;
/** Bound of one call: 20 ms at 48 kHz, and the filter's length. */
const INPUT_SAMPLES_MAX = 2048;
/** Bound of one call: 40 ms at 16 kHz, so that one pull uses up a whole packet of 20 ms. */
const OUTPUT_SAMPLES_MAX = 640;
const LEAST_HZ = 8000;
const MOST_HZ = 48_000;

/** Converts one linear16 stream to another sample rate. It pulls: it consumes only the input that the output needs. */
export interface Resampler {
  readonly inputHz: number;
  readonly outputHz: number;
  /** The filter's delay: it looks this many input samples ahead. */
  readonly latency: number;
  /** Input samples that the last `pull` consumed. */
  readonly consumed: number;
  /** Input samples that one `pull` can read. */
  readonly inputSamplesMax: number;
  /** The input buffer, to be filled before `pull`: bytes, little-endian. Shared by all streams of a thread. */
  readonly input: Uint8Array;
  /**
   * Writes up to `wanted` samples (640 at most) to `into[at]`, made from the first `available` samples of `input`.
   * @returns the number of samples written
   */
  pull(available: number, into: Int16Array, at: number, wanted: number): number;
  /** Writes the last samples of a stream that has ended, as `pull` with silence as input. 0 once all are written. */
  drain(into: Int16Array, at: number, wanted: number): number;
  /** Releases the WebAssembly memory. */
  free(): void;
}

export interface Resamplers {
  /** @throws RangeError for a rate that cannot be resampled (8 kHz to 48 kHz can) */
  create(inputHz: number, outputHz: number): Resampler;
}

/** Loads the WebAssembly module, once per thread. */
export async function loadResamplers(): Promise<Resamplers> {
  const speex = await loadSpeex();
  const scratch: Scratch = {
    input: speex._malloc(INPUT_SAMPLES_MAX * 2),
    output: speex._malloc(OUTPUT_SAMPLES_MAX * 2),
    inLength: speex._malloc(4),
    outLength: speex._malloc(4),
  };
  return { create: (inputHz, outputHz) => new SpeexStream(speex, scratch, inputHz, outputHz) };
}

/** WebAssembly memory that all streams of a thread share: it is used within one call only. */
interface Scratch {
  readonly input: number;
  readonly output: number;
  readonly inLength: number;
  readonly outLength: number;
}

class SpeexStream implements Resampler {
  readonly inputHz: number;
  readonly outputHz: number;
  readonly inputSamplesMax = INPUT_SAMPLES_MAX;
  readonly latency: number;
  consumed = 0;
  #view: Uint8Array | null = null;
  /** Samples of silence that must still follow the last sample of the stream. */
  #tail: number;
  readonly #state: number;
  readonly #speex: SpeexResampler;
  readonly #scratch: Scratch;

  constructor(speex: SpeexResampler, scratch: Scratch, inputHz: number, outputHz: number) {
    if (!isRate(inputHz) || !isRate(outputHz))
      throw new RangeError(`cannot resample from ${inputHz} to ${outputHz} Hz`);
    this.#speex = speex;
    this.#scratch = scratch;
    this.inputHz = inputHz;
    this.outputHz = outputHz;
    this.#state = speex._speex_resampler_init(1, inputHz, outputHz, QUALITY, scratch.outLength);
    if (this.#state === 0) throw new RangeError(`cannot resample from ${inputHz} Hz`);
    speex._speex_resampler_skip_zeros(this.#state);
    this.latency = speex._speex_resampler_get_input_latency(this.#state);
    this.#tail = this.latency;
  }

  get input(): Uint8Array {
    // A new stream may have grown the heap, which detaches all its views.
    if (this.#view === null || this.#view.buffer !== this.#speex.HEAP16.buffer) {
      this.#view = new Uint8Array(this.#speex.HEAP16.buffer, this.#scratch.input, INPUT_SAMPLES_MAX * 2);
    }
    return this.#view;
  }

  pull(available: number, into: Int16Array, at: number, wanted: number): number {
    const speex = this.#speex;
    const scratch = this.#scratch;
    speex.HEAP32[scratch.inLength >> 2] = Math.min(available, INPUT_SAMPLES_MAX);
    speex.HEAP32[scratch.outLength >> 2] = Math.min(wanted, OUTPUT_SAMPLES_MAX);
    speex._speex_resampler_process_int(
      this.#state,
      0,
      scratch.input,
      scratch.inLength,
      scratch.output,
      scratch.outLength,
    );
    this.consumed = speex.HEAP32[scratch.inLength >> 2] ?? 0;
    const made = speex.HEAP32[scratch.outLength >> 2] ?? 0;
    const start = scratch.output >> 1;
    for (let i = 0; i < made; i++) into[at + i] = speex.HEAP16[start + i] ?? 0;
    return made;
  }

  drain(into: Int16Array, at: number, wanted: number): number {
    if (this.#tail === 0) return 0;
    this.input.fill(0, 0, this.#tail * 2);
    const made = this.pull(this.#tail, into, at, wanted);
    this.#tail = made === 0 ? 0 : this.#tail - this.consumed;
    return made;
  }

  free(): void {
    this.#speex._speex_resampler_destroy(this.#state);
  }
}

function isRate(hz: number): boolean {
  return hz >= LEAST_HZ && hz <= MOST_HZ;
}
