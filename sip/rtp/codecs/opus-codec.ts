import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DEFAULT_OPUS_PARAMETERS, type OpusParameters } from './opus-parameters.ts';

const SAMPLE_HZ = 16_000;
const CHANNELS = 1;
/** A packet contains at most 120 ms (RFC 6716 §3.4). */
export const OPUS_SAMPLES_MAX = 1920;
/** 20 ms. */
const FRAME_SAMPLES = 320;
const WARM_UP_FRAMES = 6;
/** The longest packet in either direction: the contents of an Ethernet frame. */
const PACKET_BYTES_MAX = 1472;
/** Wideband speech is transparent at 24 kbit/s (RFC 7587 §3.1.1 recommends 16–20). More does not help recognition. */
const BITRATE = 24_000;
/** 0–10. Above 5 the encoder takes twice the time, without a difference for wideband speech. */
const COMPLEXITY = 5;
/** Expected loss in percent. Without it the encoder adds no forward error correction. */
const EXPECTED_LOSS = 10;

// opus_defines.h of libopus 1.3.
const APPLICATION_VOIP = 2048;
const SIGNAL_VOICE = 3001;
const BANDWIDTH_NARROW = 1101;
const BANDWIDTH_MEDIUM = 1102;
const BANDWIDTH_WIDE = 1103;
const SET_BITRATE = 4002;
const SET_MAX_BANDWIDTH = 4004;
const SET_COMPLEXITY = 4010;
const SET_INBAND_FEC = 4012;
const SET_EXPECTED_LOSS = 4014;
const SET_DTX = 4016;
const SET_SIGNAL = 4024;

/** One incoming stream, decoded to 16-bit samples at 16 kHz. */
export interface OpusDecoder {
  /** Decodes a packet into `into`; returns the number of samples, 0 for a malformed packet. */
  decode(packet: Uint8Array, length: number, into: Int16Array): number;
  /**
   * Recovers one lost packet of `samples` samples: from the redundancy in the next one, or by concealment (`length` 0).
   */
  recover(next: Uint8Array, length: number, samples: number, into: Int16Array): number;
  free(): void;
}

export interface OpusCodecs {
  createDecoder(): OpusDecoder;
  /** An encoder returns 0 bytes in a pause if the peer requested DTX. */
  createEncoder(parameters: OpusParameters): SpeechEncoder;
}

type Call = (a: number, b: number, c?: number, d?: number, e?: number, f?: number) => number;

/** libopus, with a packet and a sample buffer in its memory that all streams of a worker share during a call. */
interface Libopus {
  readonly call: Record<(typeof FUNCTIONS)[number], Call>;
  readonly memory: WebAssembly.Memory;
  readonly packet: number;
  readonly samples: number;
}

const FUNCTIONS = [
  'malloc',
  'free',
  'opus_decoder_get_size',
  'opus_decoder_init',
  'opus_decode',
  'opus_encoder_get_size',
  'opus_encoder_init',
  'opus_encode',
  'opus_encoder_ctl_set',
] as const;

/** Opus of one worker. Loaded at the first use or by `prepare`, so that a worker that restores calls starts quickly. */
export interface LazyOpus extends OpusCodecs {
  /** Loads Opus if it is not loaded: about 30 ms. */
  prepare(): void;
}

export function createOpus(): LazyOpus {
  let loaded: OpusCodecs | null = null;
  const codecs = () => {
    loaded ??= load();
    return loaded;
  };
  return {
    prepare: () => void codecs(),
    createDecoder: () => codecs().createDecoder(),
    createEncoder: (parameters) => codecs().createEncoder(parameters),
  };
}

/**
 * Loads the WebAssembly of `@evan/opus`, without the package's own code, which does not handle loss and allocates an
 * array per packet.
 */
function load(): OpusCodecs {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve('@evan/opus/wasm/simd.wasm')));
  const nothing = () => 0;
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
    wasi_snapshot_preview1: { fd_seek: nothing, fd_write: nothing, fd_close: nothing, proc_exit: nothing },
    env: { emscripten_notify_memory_growth: nothing },
  });
  const { memory } = instance.exports;
  if (!(memory instanceof WebAssembly.Memory)) throw new TypeError('The WebAssembly of Opus exports no memory');
  exported(instance, '_initialize')(0, 0);
  const call = {
    malloc: exported(instance, 'malloc'),
    free: exported(instance, 'free'),
    opus_decoder_get_size: exported(instance, 'opus_decoder_get_size'),
    opus_decoder_init: exported(instance, 'opus_decoder_init'),
    opus_decode: exported(instance, 'opus_decode'),
    opus_encoder_get_size: exported(instance, 'opus_encoder_get_size'),
    opus_encoder_init: exported(instance, 'opus_encoder_init'),
    opus_encode: exported(instance, 'opus_encode'),
    opus_encoder_ctl_set: exported(instance, 'opus_encoder_ctl_set'),
  };
  const packet = call.malloc(PACKET_BYTES_MAX, 0);
  const samples = call.malloc(OPUS_SAMPLES_MAX * 2, 0);
  const libopus: Libopus = { call, memory, packet, samples };
  const codecs: OpusCodecs = {
    createDecoder: () => new Decoder(libopus),
    createEncoder: (parameters) => new Encoder(libopus, parameters),
  };
  warmUp(codecs);
  return codecs;
}

/**
 * V8 compiles WebAssembly at the first call, which takes up to 24 ms for an encoder. That is longer than a packet, so it
 * happens before the first packet. The samples are like the start of a voice, so that most code paths run.
 */
function warmUp(codecs: OpusCodecs): void {
  const encoder = codecs.createEncoder({ ...DEFAULT_OPUS_PARAMETERS, fec: true });
  const decoder = codecs.createDecoder();
  const samples = new Int16Array(OPUS_SAMPLES_MAX);
  const packet = new Uint8Array(PACKET_BYTES_MAX);
  for (let frame = 0; frame < WARM_UP_FRAMES; frame++) {
    for (let i = 0; i < FRAME_SAMPLES; i++) samples[i] = 200 * frame * Math.sin(i / 9) * Math.sin(i / 31);
    const length = encoder.encode(samples, FRAME_SAMPLES, packet, 0);
    decoder.recover(packet, frame % 2 === 0 ? length : 0, FRAME_SAMPLES, samples);
    decoder.decode(packet, length, samples);
  }
  encoder.free();
  decoder.free();
}

function exported({ exports }: WebAssembly.Instance, name: string): Call {
  const found = exports[name];
  if (typeof found !== 'function') throw new TypeError(`The WebAssembly of Opus has no ${name}`);
  // A WebAssembly function ignores surplus arguments.
  return (a, b, c = 0, d = 0, e = 0, f = 0) => Number(found(a, b, c, d, e, f));
}

/** Views of the WebAssembly memory, renewed after growth, which detaches earlier views. */
class Heap {
  #bytes: Uint8Array;
  #words: Int16Array;
  readonly #libopus: Libopus;

  constructor(libopus: Libopus) {
    this.#libopus = libopus;
    this.#bytes = new Uint8Array(libopus.memory.buffer);
    this.#words = new Int16Array(libopus.memory.buffer);
  }

  putPacket(packet: Uint8Array, length: number): void {
    this.#renew();
    for (let i = 0; i < length; i++) this.#bytes[this.#libopus.packet + i] = packet[i] ?? 0;
  }

  putSamples(from: Int16Array, count: number): void {
    this.#renew();
    const at = this.#libopus.samples >> 1;
    for (let i = 0; i < count; i++) this.#words[at + i] = from[i] ?? 0;
  }

  takePacket(into: Uint8Array, at: number, length: number): void {
    this.#renew();
    for (let i = 0; i < length; i++) into[at + i] = this.#bytes[this.#libopus.packet + i] ?? 0;
  }

  takeSamples(into: Int16Array, count: number): void {
    this.#renew();
    const at = this.#libopus.samples >> 1;
    for (let i = 0; i < count; i++) into[i] = this.#words[at + i] ?? 0;
  }

  #renew(): void {
    const { buffer } = this.#libopus.memory;
    if (this.#bytes.buffer === buffer) return;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Int16Array(buffer);
  }
}

class Decoder implements OpusDecoder {
  readonly #libopus: Libopus;
  readonly #heap: Heap;
  readonly #state: number;

  constructor(libopus: Libopus) {
    this.#libopus = libopus;
    const { call } = libopus;
    this.#state = call.malloc(call.opus_decoder_get_size(CHANNELS, 0), 0);
    if (this.#state === 0) throw new RangeError('No memory for another Opus decoder');
    call.opus_decoder_init(this.#state, SAMPLE_HZ, CHANNELS);
    this.#heap = new Heap(libopus);
  }

  decode(packet: Uint8Array, length: number, into: Int16Array): number {
    if (length === 0 || length > PACKET_BYTES_MAX) return 0;
    return this.#run(packet, length, OPUS_SAMPLES_MAX, 0, into);
  }

  recover(next: Uint8Array, length: number, samples: number, into: Int16Array): number {
    return this.#run(next, Math.min(length, PACKET_BYTES_MAX), Math.min(samples, OPUS_SAMPLES_MAX), 1, into);
  }

  free(): void {
    this.#libopus.call.free(this.#state, 0);
  }

  /** Without a packet (`length` 0), libopus conceals. */
  #run(packet: Uint8Array, length: number, most: number, fec: 0 | 1, into: Int16Array): number {
    const { call, packet: place, samples } = this.#libopus;
    this.#heap.putPacket(packet, length);
    const isLost = length === 0;
    const made = call.opus_decode(this.#state, isLost ? 0 : place, length, samples, most, isLost ? 0 : fec);
    if (made <= 0) return 0;
    this.#heap.takeSamples(into, made);
    return made;
  }
}

class Encoder implements SpeechEncoder {
  readonly #libopus: Libopus;
  readonly #heap: Heap;
  readonly #state: number;
  readonly #dtx: boolean;

  constructor(libopus: Libopus, { fec, dtx, maxPlaybackHz, maxBitrate }: OpusParameters) {
    this.#libopus = libopus;
    this.#dtx = dtx;
    const { call } = libopus;
    this.#state = call.malloc(call.opus_encoder_get_size(CHANNELS, 0), 0);
    if (this.#state === 0) throw new RangeError('No memory for another Opus encoder');
    call.opus_encoder_init(this.#state, SAMPLE_HZ, CHANNELS, APPLICATION_VOIP);
    const bandwidth =
      maxPlaybackHz < 12_000 ? BANDWIDTH_NARROW : maxPlaybackHz < 16_000 ? BANDWIDTH_MEDIUM : BANDWIDTH_WIDE;
    const settings = [
      [SET_BITRATE, Math.min(BITRATE, maxBitrate ?? BITRATE)],
      [SET_MAX_BANDWIDTH, bandwidth],
      [SET_COMPLEXITY, COMPLEXITY],
      [SET_SIGNAL, SIGNAL_VOICE],
      [SET_INBAND_FEC, fec ? 1 : 0],
      [SET_EXPECTED_LOSS, fec ? EXPECTED_LOSS : 0],
      [SET_DTX, dtx ? 1 : 0],
    ] as const;
    for (const [setting, value] of settings) call.opus_encoder_ctl_set(this.#state, setting, value);
    this.#heap = new Heap(libopus);
  }

  encode(from: Int16Array, samples: number, into: Uint8Array, at: number): number {
    const { call, packet, samples: place } = this.#libopus;
    this.#heap.putSamples(from, samples);
    const room = Math.min(into.length - at, PACKET_BYTES_MAX);
    const length = call.opus_encode(this.#state, place, samples, packet, room);
    // A DTX pause yields only a table of contents (opus_encode: two bytes or less need not be sent).
    if (length <= 0 || (this.#dtx && length <= 2)) return 0;
    this.#heap.takePacket(into, at, length);
    return length;
  }

  free(): void {
    this.#libopus.call.free(this.#state, 0);
  }
}

/** Encodes one outgoing wideband stream, from 16-bit samples at 16 kHz. */
export interface SpeechEncoder {
  /**
   * Encodes the first `samples` of `from` and writes from `into[at]` on. Returns the number of bytes; 0 if nothing needs
   * to be sent.
   */
  encode(from: Int16Array, samples: number, into: Uint8Array, at: number): number;
  free(): void;
}
