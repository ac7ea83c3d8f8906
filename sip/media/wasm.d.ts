/** The part of the Emscripten build that we use; the package has no types. Pointers are byte offsets into the heap. */
interface WasmHeap {
  readonly HEAP16: Int16Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
}

declare module '@echogarden/fvad-wasm' {
  export interface Fvad extends WasmHeap {
    /** 0 if memory is exhausted. */
    _fvad_new(): number;
    _fvad_free(instance: number): void;
    /** Also sets mode 0 and 8 kHz. */
    _fvad_reset(instance: number): void;
    /** `mode`: 0 (quality) to 3 (very aggressive against noise). Returns −1 for any other. */
    _fvad_set_mode(instance: number, mode: number): number;
    /** 1: voice. 0: no voice. −1: the length is not 10, 20 or 30 ms. */
    _fvad_process(instance: number, samples: number, length: number): number;
  }
  export default function load(): Promise<Fvad>;
}

declare module '@echogarden/rnnoise-wasm' {
  export interface Rnnoise extends WasmHeap {
    readonly HEAPF32: Float32Array;
    /** With the built-in model for the model 0. 0 if memory is exhausted. */
    _rnnoise_create(model: number): number;
    _rnnoise_destroy(state: number): void;
    /** 480 samples at 48 kHz in the range of 16-bit integers. Returns the probability of voice. */
    _rnnoise_process_frame(state: number, output: number, input: number): number;
  }
  export default function load(): Promise<Rnnoise>;
}

/** The part of JavaScript's WebAssembly that we use. Only the browser types declare it, not Node's. */
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
