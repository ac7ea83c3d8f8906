import {
  decodeAlaw,
  decodeMulaw,
  encodeAlaw,
  encodeMulaw,
  transcodeAlawToMulaw,
  transcodeMulawToAlaw,
} from '../../../base/audio/g711.ts';
import type { Resampler, Resamplers } from '../../../base/audio/resampler.ts';
import { type AudioFrame, CODEC_LINEAR16, CODEC_MULAW } from '../worker-channel/audio-frame.ts';
import type { RingBuffer } from '../worker-channel/ring-buffer.ts';

/** Maximum of samples per step: 20 ms at 16 kHz. A longer packet takes more steps. */
const STEP_SAMPLES = 320;
const NARROWBAND_HZ = 8000;
const WIDEBAND_HZ = 16_000;

/**
 * Converts queued audio to the output codec on demand. Equal formats pass unchanged, the other G.711 law is converted by
 * tables, and other rates by a resampler, with one stream per segment.
 */
export class PlayoutTranscoder {
  /** Input bytes consumed by the last `transcode`. */
  consumed = 0;
  /** `CODEC_MULAW` or `CODEC_ALAW` for the payload itself, or `CODEC_LINEAR16` at 16 kHz for an encoder. */
  outputCodec = CODEC_MULAW;
  readonly #resamplers: Resamplers;
  readonly #samples = new Int16Array(STEP_SAMPLES);
  readonly #bytes = new Uint8Array(this.#samples.buffer);
  readonly #codes = new Uint8Array(STEP_SAMPLES);
  #resampler: Resampler | null = null;

  constructor(resamplers: Resamplers) {
    this.#resamplers = resamplers;
  }

  get outputHz(): number {
    return this.outputCodec === CODEC_LINEAR16 ? WIDEBAND_HZ : NARROWBAND_HZ;
  }

  /** Bytes per written sample. */
  get sampleBytes(): number {
    return this.outputCodec === CODEC_LINEAR16 ? 2 : 1;
  }

  /**
   * Writes up to `needed` samples of output from the ring's first frame, starting `offset` bytes into it. Returns their
   * number.
   */
  transcode(ring: RingBuffer, frame: AudioFrame, offset: number, out: Uint8Array, at: number, needed: number): number {
    const left = frame.length - offset;
    if (frame.codec !== CODEC_LINEAR16) {
      if (this.outputCodec === CODEC_LINEAR16) return this.#resampleCodes(ring, frame, offset, out, at, needed);
      const count = Math.min(left, needed);
      ring.copy(offset, out, at, count);
      this.consumed = count;
      if (frame.codec !== this.outputCodec) this.#transcode(out, at, count);
      return count;
    }
    if (frame.rateHz !== this.outputHz) return this.#resample(ring, frame, offset, out, at, needed);
    const count = Math.min(left >> 1, needed, STEP_SAMPLES);
    ring.copy(offset, this.#bytes, 0, count * 2);
    // An odd byte at a frame's end is half a sample. It is consumed with the last whole sample.
    this.consumed = count * 2 + 1 >= left ? left : count * 2;
    this.#encode(out, at, count);
    return count;
  }

  /** At the end of a segment: writes the rest of the resampler's output. Returns 0 when no more is left. */
  drain(out: Uint8Array, at: number, needed: number): number {
    if (this.#resampler === null || this.#resampler.outputHz !== this.outputHz) return 0;
    const made = this.#resampler.drain(this.#samples, 0, Math.min(needed, STEP_SAMPLES));
    this.#encode(out, at, made);
    if (made === 0) this.reset();
    return made;
  }

  /** The next audio starts a new stream. */
  reset(): void {
    this.#resampler?.free();
    this.#resampler = null;
  }

  #resample(ring: RingBuffer, frame: AudioFrame, offset: number, out: Uint8Array, at: number, needed: number): number {
    const resampler = this.#resamplerFrom(frame.rateHz);
    const left = frame.length - offset;
    const available = Math.min(left >> 1, resampler.inputSamplesMax);
    ring.copy(offset, resampler.input, 0, available * 2);
    const made = resampler.pull(available, this.#samples, 0, Math.min(needed, STEP_SAMPLES));
    const used = resampler.consumed * 2;
    this.consumed = used + 1 >= left || (used === 0 && made === 0) ? left : used;
    this.#encode(out, at, made);
    return made;
  }

  /** G.711 input for a wideband output. */
  #resampleCodes(
    ring: RingBuffer,
    frame: AudioFrame,
    offset: number,
    out: Uint8Array,
    at: number,
    needed: number,
  ): number {
    const resampler = this.#resamplerFrom(NARROWBAND_HZ);
    const left = frame.length - offset;
    const available = Math.min(left, STEP_SAMPLES);
    ring.copy(offset, this.#codes, 0, available);
    if (frame.codec === CODEC_MULAW) decodeMulaw(this.#codes, 0, available, this.#samples);
    else decodeAlaw(this.#codes, 0, available, this.#samples);
    const { input } = resampler;
    for (let i = 0; i < available * 2; i++) input[i] = this.#bytes[i] ?? 0;
    const made = resampler.pull(available, this.#samples, 0, Math.min(needed, STEP_SAMPLES));
    const used = resampler.consumed;
    this.consumed = used === 0 && made === 0 ? left : used;
    this.#encode(out, at, made);
    return made;
  }

  #resamplerFrom(inputHz: number): Resampler {
    const { outputHz } = this;
    if (this.#resampler?.inputHz !== inputHz || this.#resampler.outputHz !== outputHz) {
      this.reset();
      this.#resampler = this.#resamplers.create(inputHz, outputHz);
    }
    return this.#resampler;
  }

  #encode(out: Uint8Array, at: number, count: number): void {
    if (this.outputCodec === CODEC_LINEAR16) for (let i = 0; i < count * 2; i++) out[at + i] = this.#bytes[i] ?? 0;
    else if (this.outputCodec === CODEC_MULAW) encodeMulaw(this.#samples, 0, count, out, at);
    else encodeAlaw(this.#samples, 0, count, out, at);
  }

  #transcode(out: Uint8Array, at: number, count: number): void {
    if (this.outputCodec === CODEC_MULAW) transcodeAlawToMulaw(out, at, count, out, at);
    else transcodeMulawToAlaw(out, at, count, out, at);
  }
}
