import loadSpeex, { type SpeexResampler } from '@echogarden/speex-resampler-wasm/simd';

/** Of 0–10; 3 is Speex's own choice for telephony: 3 ms of delay, which is taken out again, 2–4 µs a frame. */
const QUALITY = 3;
/** 20 ms at 48 kHz and the filter's length again; one call never offers more. */
const MAX_INPUT_SAMPLES = 2048;
/** Twice what a tick plays at 16 kHz, so that one pull uses up all of a 20 ms packet that is brought up. */
const MAX_OUTPUT_SAMPLES = 640;
const LEAST_HZ = 8000;
const MOST_HZ = 48_000;

/** One stream of linear16 brought to another rate. Input is pulled: it takes no more than the output asked for needs. */
export interface Resampler {
  readonly inputHz: number;
  readonly outputHz: number;
  /** Samples taken from the input by the last `pull`. */
  readonly consumed: number;
  /** Input samples that one `pull` can look at. */
  readonly maxInput: number;
  /** Where input goes before `pull`, as bytes, little-endian. */
  readonly input: Uint8Array;
  /** Makes up to `wanted` (640 at most) samples into `into[at]` from the `available` first samples of `input`. */
  pull(available: number, into: Int16Array, at: number, wanted: number): number;
  /** Like `pull` with silence behind the stream's end: its last samples come out. 0 when all have. */
  drain(into: Int16Array, at: number, wanted: number): number;
  free(): void;
}

export interface Resamplers {
  /** @throws RangeError for a rate that cannot be resampled (8 kHz to 48 kHz can) */
  create(inputHz: number, outputHz: number): Resampler;
}

/** Loads the WebAssembly of one worker. */
export async function loadResamplers(): Promise<Resamplers> {
  const speex = await loadSpeex();
  const scratch: Scratch = {
    input: speex._malloc(MAX_INPUT_SAMPLES * 2),
    output: speex._malloc(MAX_OUTPUT_SAMPLES * 2),
    inLength: speex._malloc(4),
    outLength: speex._malloc(4),
  };
  return { create: (inputHz, outputHz) => new SpeexStream(speex, scratch, inputHz, outputHz) };
}

/** Shared by all streams of a worker: it is used within one call only. */
interface Scratch {
  readonly input: number;
  readonly output: number;
  readonly inLength: number;
  readonly outLength: number;
}

class SpeexStream implements Resampler {
  readonly inputHz: number;
  readonly outputHz: number;
  readonly maxInput = MAX_INPUT_SAMPLES;
  consumed = 0;
  private view: Uint8Array | null = null;
  /** Samples of silence that still have to follow the last of the stream. */
  private tail: number;
  private readonly state: number;
  private readonly speex: SpeexResampler;
  private readonly scratch: Scratch;

  constructor(speex: SpeexResampler, scratch: Scratch, inputHz: number, outputHz: number) {
    if (!isRate(inputHz) || !isRate(outputHz)) throw new RangeError(`No resampling from ${inputHz} to ${outputHz} Hz`);
    this.speex = speex;
    this.scratch = scratch;
    this.inputHz = inputHz;
    this.outputHz = outputHz;
    this.state = speex._speex_resampler_init(1, inputHz, outputHz, QUALITY, scratch.outLength);
    if (this.state === 0) throw new RangeError(`No resampling from ${inputHz} Hz`);
    speex._speex_resampler_skip_zeros(this.state);
    this.tail = speex._speex_resampler_get_input_latency(this.state);
  }

  get input(): Uint8Array {
    // A new stream may have grown the heap, which detaches every view of it.
    if (this.view === null || this.view.buffer !== this.speex.HEAP16.buffer) {
      this.view = new Uint8Array(this.speex.HEAP16.buffer, this.scratch.input, MAX_INPUT_SAMPLES * 2);
    }
    return this.view;
  }

  pull(available: number, into: Int16Array, at: number, wanted: number): number {
    const { speex, scratch } = this;
    speex.HEAP32[scratch.inLength >> 2] = Math.min(available, MAX_INPUT_SAMPLES);
    speex.HEAP32[scratch.outLength >> 2] = Math.min(wanted, MAX_OUTPUT_SAMPLES);
    speex._speex_resampler_process_int(
      this.state,
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
    if (this.tail === 0) return 0;
    this.input.fill(0, 0, this.tail * 2);
    const made = this.pull(this.tail, into, at, wanted);
    this.tail = made === 0 ? 0 : this.tail - this.consumed;
    return made;
  }

  free(): void {
    this.speex._speex_resampler_destroy(this.state);
  }
}

function isRate(hz: number): boolean {
  return hz >= LEAST_HZ && hz <= MOST_HZ;
}
