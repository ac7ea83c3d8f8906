import { decodeAlaw, decodeMulaw } from '../../../base/audio/g711.ts';
import { CODEC_ALAW, CODEC_LINEAR16, CODEC_MULAW } from '../worker-channel/audio-frame.ts';

/** A resumed voice goes back at most this far: a pause between words is seldom farther away. */
const REWIND_MS = 400;
const NARROWBAND_PER_MS = 8;
const WIDEBAND_PER_MS = 16;
/** The energy is compared in windows of 20 ms, each 10 ms after the one before. */
const WINDOW_MS = 20;
const WINDOW_STEP_MS = 10;
const CODES = Uint8Array.from({ length: 256 }, (_, code) => code);
const MULAW_SAMPLES = new Int16Array(CODES.length);
const ALAW_SAMPLES = new Int16Array(CODES.length);
decodeMulaw(CODES, 0, CODES.length, MULAW_SAMPLES);
decodeAlaw(CODES, 0, CODES.length, ALAW_SAMPLES);

/**
 * The last 400 ms of a segment as they were played, so that a paused voice resumes at the energy minimum before the pause
 * and not in the middle of a syllable. Allocates nothing per packet.
 */
export class RewindBuffer {
  /** `CODEC_MULAW`, `CODEC_ALAW`, or `CODEC_LINEAR16` at 16 kHz. */
  codec = CODEC_MULAW;
  #perMs = NARROWBAND_PER_MS;
  #sampleBytes = 1;
  #bytes = new Uint8Array(REWIND_MS * NARROWBAND_PER_MS);
  /** Samples of the segment in the buffer. */
  #held = 0;
  /** The next write, in bytes. */
  #at = 0;
  /** Samples that are to be played again. */
  #left = 0;

  get isReplaying(): boolean {
    return this.#left > 0;
  }

  /** A new segment begins, the played audio was cleared, or the codec changes: nothing before it is played again. */
  restart(codec: number): void {
    this.#held = 0;
    this.#left = 0;
    if (codec === this.codec) return;
    this.codec = codec;
    this.#perMs = codec === CODEC_LINEAR16 ? WIDEBAND_PER_MS : NARROWBAND_PER_MS;
    this.#sampleBytes = codec === CODEC_LINEAR16 ? 2 : 1;
    this.#bytes = new Uint8Array(REWIND_MS * this.#perMs * this.#sampleBytes);
    this.#at = 0;
  }

  /** Remembers played samples in the codec of `restart`. */
  remember(from: Uint8Array, at: number, samples: number): void {
    const bytes = this.#bytes;
    const length = samples * this.#sampleBytes;
    let write = this.#at;
    for (let i = 0; i < length; i++) {
      bytes[write++] = from[at + i] ?? 0;
      if (write === bytes.length) write = 0;
    }
    this.#at = write;
    this.#held = Math.min(this.#held + samples, REWIND_MS * this.#perMs);
  }

  /** Goes back to the last energy minimum. Returns the time that is played again, in ms. */
  rewind(): number {
    const window = WINDOW_MS * this.#perMs;
    let quietest = Number.POSITIVE_INFINITY;
    let back = 0;
    for (let end = 0; end + window <= this.#held; end += WINDOW_STEP_MS * this.#perMs) {
      const energy = this.#energy(end + window, window);
      if (energy >= quietest) continue;
      quietest = energy;
      back = end + window / 2;
    }
    this.#left = back;
    return back / this.#perMs;
  }

  /** Writes up to `samples` samples that are played again, and returns their number. */
  replay(into: Uint8Array, at: number, samples: number): number {
    const count = Math.min(samples, this.#left);
    let read = this.#positionBack(this.#left);
    for (let i = 0; i < count * this.#sampleBytes; i++) {
      into[at + i] = this.#bytes[read++] ?? 0;
      if (read === this.#bytes.length) read = 0;
    }
    this.#left -= count;
    return count;
  }

  /** The energy of `samples` samples that begin `back` samples before the end. */
  #energy(back: number, samples: number): number {
    const linear = this.codec === CODEC_LINEAR16;
    let read = this.#positionBack(back);
    let energy = 0;
    for (let i = 0; i < samples; i++) {
      const low = this.#bytes[read] ?? 0;
      const sample = linear ? (((this.#bytes[read + 1] ?? 0) << 24) >> 16) | low : this.#decoded(low);
      energy += sample * sample;
      read += this.#sampleBytes;
      if (read >= this.#bytes.length) read = 0;
    }
    return energy;
  }

  #decoded(code: number): number {
    return (this.codec === CODEC_ALAW ? ALAW_SAMPLES : MULAW_SAMPLES)[code] ?? 0;
  }

  #positionBack(samples: number): number {
    return (this.#at - samples * this.#sampleBytes + this.#bytes.length) % this.#bytes.length;
  }
}
