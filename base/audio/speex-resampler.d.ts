declare module '@echogarden/speex-resampler-wasm/simd' {
  /** The part of the Emscripten build that we use; the package brings no types. Pointers are bytes into the heap. */
  export interface SpeexResampler {
    readonly HEAP16: Int16Array;
    readonly HEAP32: Int32Array;
    _malloc(bytes: number): number;
    /** 0 where memory is out or an argument is refused. `quality` 0–10. */
    _speex_resampler_init(channels: number, inRate: number, outRate: number, quality: number, error: number): number;
    _speex_resampler_destroy(state: number): void;
    /** Leaves out the filter's delay at the start of a stream. */
    _speex_resampler_skip_zeros(state: number): number;
    _speex_resampler_get_input_latency(state: number): number;
    /** `inLength` and `outLength` point to counts, which return the consumed and produced samples. */
    _speex_resampler_process_int(
      state: number,
      channel: number,
      input: number,
      inLength: number,
      output: number,
      outLength: number,
    ): number;
  }
  export default function load(): Promise<SpeexResampler>;
}
