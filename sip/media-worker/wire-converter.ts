import { encodeAlaw, encodeMulaw, transcodeAlawToMulaw, transcodeMulawToAlaw } from '../rtp/g711.ts';
import { CODEC_LINEAR16, CODEC_MULAW, type Frame } from './frame.ts';
import type { Resampler, Resamplers } from './resampler.ts';
import type { Ring } from './ring.ts';

/** No packet is longer than 20 ms at 8 kHz. */
const PACKET_SAMPLES = 160;
const WIRE_HZ = 8000;

/**
 * Brings queued audio into the wire's codec as it is needed: what is in that codec already passes as it is, the other
 * G.711 law and linear16 at 8 kHz go through tables, and other rates through a resampler, one stream a segment.
 */
export class WireConverter {
  /** Payload bytes used up by the last `convert`. */
  consumed = 0;
  /** `CODEC_MULAW` or `CODEC_ALAW`. */
  wire = CODEC_MULAW;
  private readonly resamplers: Resamplers;
  private readonly samples = new Int16Array(PACKET_SAMPLES);
  private readonly sampleBytes = new Uint8Array(this.samples.buffer);
  private resampler: Resampler | null = null;

  constructor(resamplers: Resamplers) {
    this.resamplers = resamplers;
  }

  /** Writes up to `wanted` bytes for the wire from the ring's first frame, `offset` bytes into it; answers how many. */
  convert(ring: Ring, frame: Frame, offset: number, out: Uint8Array, at: number, wanted: number): number {
    const left = frame.length - offset;
    if (frame.codec !== CODEC_LINEAR16) {
      const count = Math.min(left, wanted);
      ring.copy(offset, out, at, count);
      this.consumed = count;
      if (frame.codec !== this.wire) this.transcode(out, at, count);
      return count;
    }
    if (frame.rateHz !== WIRE_HZ) return this.resample(ring, frame, offset, out, at, wanted);
    const count = Math.min(left >> 1, wanted, PACKET_SAMPLES);
    ring.copy(offset, this.sampleBytes, 0, count * 2);
    // An odd byte at a frame's end is half a sample: it is used up with the last whole one.
    this.consumed = count * 2 + 1 >= left ? left : count * 2;
    this.encode(out, at, count);
    return count;
  }

  /** At a segment's end: what the resampler still holds of it. 0 when that has come out, or where there is none. */
  drain(out: Uint8Array, at: number, wanted: number): number {
    if (this.resampler === null) return 0;
    const made = this.resampler.drain(this.samples, 0, Math.min(wanted, PACKET_SAMPLES));
    this.encode(out, at, made);
    if (made === 0) this.reset();
    return made;
  }

  /** What comes next does not follow what came before. */
  reset(): void {
    this.resampler?.free();
    this.resampler = null;
  }

  private resample(ring: Ring, frame: Frame, offset: number, out: Uint8Array, at: number, wanted: number): number {
    if (this.resampler?.inputHz !== frame.rateHz) {
      this.reset();
      this.resampler = this.resamplers.create(frame.rateHz);
    }
    const left = frame.length - offset;
    const available = Math.min(left >> 1, this.resampler.maxInput);
    ring.copy(offset, this.resampler.input, 0, available * 2);
    const made = this.resampler.pull(available, this.samples, 0, Math.min(wanted, PACKET_SAMPLES));
    const used = this.resampler.consumed * 2;
    this.consumed = used + 1 >= left || (used === 0 && made === 0) ? left : used;
    this.encode(out, at, made);
    return made;
  }

  private encode(out: Uint8Array, at: number, count: number): void {
    if (this.wire === CODEC_MULAW) encodeMulaw(this.samples, 0, count, out, at);
    else encodeAlaw(this.samples, 0, count, out, at);
  }

  private transcode(out: Uint8Array, at: number, count: number): void {
    if (this.wire === CODEC_MULAW) transcodeAlawToMulaw(out, at, count, out, at);
    else transcodeMulawToAlaw(out, at, count, out, at);
  }
}
