/** The part of the Emscripten builds that we use; neither package brings types. Pointers are bytes into the heap. */
interface WasmHeap {
  readonly HEAP16: Int16Array;
  readonly HEAP32: Int32Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
}

declare module '@echogarden/fvad-wasm' {
  export interface Fvad extends WasmHeap {
    /** 0 where memory is out. */
    _fvad_new(): number;
    _fvad_free(instance: number): void;
    /** Also sets mode 0 and 8 kHz. */
    _fvad_reset(instance: number): void;
    /** 0 (quality) to 3 (very aggressive against noise); −1 for another. */
    _fvad_set_mode(instance: number, mode: number): number;
    /** 1 voice, 0 none, −1 for a length that is not 10, 20 or 30 ms. */
    _fvad_process(instance: number, samples: number, length: number): number;
  }
  export default function load(): Promise<Fvad>;
}

declare module '@echogarden/speex-resampler-wasm/simd' {
  export interface SpeexResampler extends WasmHeap {
    /** 0 where memory is out or an argument is refused. `quality` 0–10. */
    _speex_resampler_init(channels: number, inRate: number, outRate: number, quality: number, error: number): number;
    _speex_resampler_destroy(state: number): void;
    /** Leaves out the filter's delay at the start of a stream. */
    _speex_resampler_skip_zeros(state: number): number;
    _speex_resampler_get_input_latency(state: number): number;
    /** `inLength` and `outLength` point to counts, which come back as what was consumed and made. */
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

/** The part of JavaScript's WebAssembly that we use: Node's types leave it to those of browsers. */
declare namespace WebAssembly {
  class Memory {
    private constructor();
    readonly buffer: ArrayBuffer;
  }
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, Readonly<Record<string, () => number>>>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
