import { timestampDistance } from '../packet/sequence-arithmetic.ts';
import { ComfortNoise } from './comfort-noise.ts';
import { Concealment } from './concealment.ts';

/** Ring size at 8 kHz: 1.024 s, a power of two, so that a timestamp's low bits are the index. */
const RING_SAMPLES = 8192;
/** One `pull`: 20 ms at 8 kHz. */
export const PLAYOUT_FRAME_SAMPLES = 160;

/** Bounds of the playout delay, in samples at 8 kHz. */
export interface PlayoutDelay {
  readonly initial: number;
  readonly minimum: number;
  readonly maximum: number;
}

/**
 * For conversations: 40 ms at first, at least one packet. Beyond 200 ms people interrupt each other, so a loss is
 * preferable.
 */
export const BRIDGE_DELAY: PlayoutDelay = { initial: 320, minimum: 160, maximum: 1600 };
/** For recordings: 200 ms, so that packets are seldom late and the delay seldom changes. */
export const RECORDING_DELAY: PlayoutDelay = { initial: 1600, minimum: 1600, maximum: 3200 };
/** Packets observed before the delay shrinks by a frame: 1 s at 20 ms a packet. */
const SHRINK_PACKETS = 50;
/**
 * After this number of frames with only hopelessly late packets, the sender's timestamps have jumped, and the buffer
 * follows them. Counted by frames, since the burst after a network stall is one event.
 */
const RESYNC_FRAMES = 5;
/**
 * A frame below this peak can be skipped inaudibly: 44 dB below full scale, softer than speech and louder than the noise
 * of most lines.
 */
const QUIET_PEAK = 200;
/** Comfort noise has no length in RFC 3389. One frame of it is stored like audio. */
const COMFORT_NOISE_SAMPLES = 160;

/**
 * The jitter buffer of bridges and recordings, for audio at 8 kHz, or at 16 kHz between two wideband peers. `push` takes
 * packets of any length at their timestamps. `pull` returns exactly 20 ms and conceals missing audio.
 *
 * The delay grows when packets are late. A late packet is still played if no later one was. The delay shrinks by 20 ms
 * when all packets of the last second were early: the buffer skips a lost or quiet frame, or any frame after another
 * second. So the buffer follows clock drift too. All arrays are made once.
 */
export class JitterBuffer {
  /** Numbers of packets. */
  late = 0;
  duplicates = 0;
  /** Jumps of the playout point because the sender's timestamps jumped. */
  resyncs = 0;
  /** Concealed samples: missing when due, or inserted so that the delay grows. */
  concealedSamples = 0;
  /** Real samples that were skipped so that the delay shrinks. */
  skippedSamples = 0;

  readonly #samples: Int16Array;
  /** 1 where `samples` contains audio that was not played yet. */
  readonly #present: Uint8Array;
  readonly #concealment: Concealment;
  readonly #noise = new ComfortNoise();
  readonly #noiseFrame: Int16Array;
  /** Comfort noise replaces missing audio from `noiseFrom` on (the buffer's timestamps) until audio returns. */
  #isNoisy = false;
  #noiseFrom = 0;
  #noiseUntil = 0;
  #isNoiseEnded = false;
  #started = false;
  /** The next packet starts a stream. The rest of the last stream is still played. */
  #startsStream = true;
  /** Added to the stream's timestamps for the buffer's timestamps, which continue across streams. */
  #offset = 0;
  /** The buffer's timestamp of the next sample to play. */
  #playout = 0;
  /** The buffer's timestamp after the last real sample that was played. */
  #heardUntil = 0;
  /** Concealed samples to insert, so that the delay grows. */
  #pendingGrowth = 0;
  /** The next quiet frame is skipped. */
  #skipsNextQuiet = false;
  /** The longest wait of a packet: measured each second, plus later growth. */
  #delay: number;
  #watched = 0;
  #smallestMargin: number;
  #largestMargin = 0;
  #hopelessFrames = 0;
  #hopelessInFrame = false;
  readonly #bounds: PlayoutDelay;

  /** In samples: the ring, and one `pull`. */
  readonly #ring: number;
  readonly #frame: number;

  constructor(bounds: PlayoutDelay = RECORDING_DELAY, rateHz: 8_000 | 16_000 = 8_000) {
    const times = rateHz / 8_000;
    const { initial, minimum, maximum } = bounds;
    this.#bounds = { initial: initial * times, minimum: minimum * times, maximum: maximum * times };
    this.#delay = this.#bounds.initial;
    this.#ring = RING_SAMPLES * times;
    this.#frame = PLAYOUT_FRAME_SAMPLES * times;
    this.#smallestMargin = this.#ring;
    this.#samples = new Int16Array(this.#ring);
    this.#present = new Uint8Array(this.#ring);
    this.#concealment = new Concealment(rateHz);
    this.#noiseFrame = new Int16Array(COMFORT_NOISE_SAMPLES * times);
  }

  /** Stores `length` decoded samples from `timestamp` on. False if all of them are late or duplicates. */
  push(timestamp: number, audio: Int16Array, length: number): boolean {
    if (!this.#lay(timestamp, audio, length)) return false;
    this.#endNoise((timestamp + this.#offset) >>> 0);
    return true;
  }

  #lay(timestamp: number, audio: Int16Array, length: number): boolean {
    if (length === 0 || length > this.#ring / 2) return false;
    if (this.#startsStream) this.#rebase(timestamp);
    if (!this.#adapt(timestamp, length)) {
      this.late++;
      return false;
    }
    const start = (timestamp + this.#offset) >>> 0;
    const first = Math.max(0, -timestampDistance(start, this.#playout));
    if (first >= length) {
      this.late++;
      return false;
    }
    const fresh = this.#layFresh(start, audio, first, length);
    if (fresh === 0) this.duplicates++;
    return fresh > 0;
  }

  /** Stores the samples from `first` to `end` that are not there yet, and returns their number. */
  #layFresh(start: number, audio: Int16Array, first: number, end: number): number {
    const present = this.#present;
    const samples = this.#samples;
    const mask = this.#ring - 1;
    let fresh = 0;
    for (let i = first; i < end; i++) {
      const place = (start + i) & mask;
      if (present[place] === 1) continue;
      present[place] = 1;
      samples[place] = audio[i] ?? 0;
      fresh++;
    }
    return fresh;
  }

  /**
   * Stores a comfort noise packet (RFC 3389): noise, `level` dB below full scale, from `timestamp` until the next audio.
   */
  pushComfortNoise(timestamp: number, level: number): void {
    this.#noise.level = level;
    this.#noise.fill(this.#noiseFrame, 0, this.#noiseFrame.length);
    if (!this.#lay(timestamp, this.#noiseFrame, this.#noiseFrame.length)) return;
    if (!this.#isNoisy || this.#isNoiseEnded) this.#noiseFrom = (timestamp + this.#offset) >>> 0;
    this.#isNoisy = true;
    this.#isNoiseEnded = false;
  }

  /**
   * Plays the next 20 ms, from `into[at]` on, and returns the number of real samples. Silence before the first packet.
   */
  pull(into: Int16Array, at = 0): number {
    this.#hopelessInFrame = false;
    if (!this.#started) {
      into.fill(0, at, at + this.#frame);
      return 0;
    }
    if (this.#skipsNextQuiet && this.#isQuiet()) this.#skip(this.#frame);
    if (this.#pendingGrowth >= this.#frame) {
      this.#pendingGrowth -= this.#frame;
      this.concealedSamples += this.#frame;
      this.#concealment.conceal(into, at, this.#frame);
      return 0;
    }
    const frame = this.#frame;
    let real = 0;
    for (let start = 0; start < frame; ) {
      const isReal = this.#present[(this.#playout + start) & (this.#ring - 1)] === 1;
      const length = isReal ? this.#takeReal(start, into, at) : this.#missingFrom(start);
      if (isReal) {
        this.#concealment.remember(into, at + start, length);
        real += length;
        this.#heardUntil = (this.#playout + start + length) >>> 0;
      } else if (this.#isNoiseAt((this.#playout + start) >>> 0)) this.#noise.fill(into, at + start, length);
      else this.#concealment.conceal(into, at + start, length);
      start += length;
    }
    this.concealedSamples += this.#frame - real;
    this.#playout = (this.#playout + this.#frame) >>> 0;
    return real;
  }

  /** Plays the real samples from `start` of the frame on, up to the next missing one, and returns their number. */
  #takeReal(start: number, into: Int16Array, at: number): number {
    const present = this.#present;
    const samples = this.#samples;
    const mask = this.#ring - 1;
    const playout = this.#playout;
    const frame = this.#frame;
    let i = start;
    for (; i < frame; i++) {
      const place = (playout + i) & mask;
      if (present[place] === 0) break;
      present[place] = 0;
      into[at + i] = samples[place] ?? 0;
    }
    return i - start;
  }

  /** The number of missing samples from `start` of the frame on. */
  #missingFrom(start: number): number {
    const present = this.#present;
    const mask = this.#ring - 1;
    let i = start;
    while (i < this.#frame && present[(this.#playout + i) & mask] === 0) i++;
    return i - start;
  }

  /** Current playout delay, in samples. */
  get delaySamples(): number {
    return this.#delay;
  }

  /** The source restarted: the next packet is played after the remaining audio, at any timestamp. */
  reset(): void {
    this.#startsStream = true;
  }

  /** Audio returns: missing audio after its start is a loss. */
  #endNoise(start: number): void {
    if (!this.#isNoisy || this.#isNoiseEnded || timestampDistance(start, this.#noiseFrom) <= 0) return;
    this.#isNoiseEnded = true;
    this.#noiseUntil = start;
  }

  #isNoiseAt(place: number): boolean {
    if (!this.#isNoisy || timestampDistance(place, this.#noiseFrom) < 0) return false;
    if (this.#isNoiseEnded && timestampDistance(place, this.#noiseUntil) >= 0) this.#isNoisy = false;
    return this.#isNoisy;
  }

  /** Adapts the delay to one packet; false if the packet is hopelessly late. */
  #adapt(timestamp: number, length: number): boolean {
    const margin = timestampDistance(timestamp + this.#offset, this.#playout) + this.#pendingGrowth;
    if (margin + length > this.#ring || margin + this.#bounds.maximum - this.#delay < 0) {
      if (!this.#hopelessInFrame) this.#hopelessFrames++;
      this.#hopelessInFrame = true;
      if (this.#hopelessFrames < RESYNC_FRAMES) return false;
      this.resyncs++;
      this.#rebase(timestamp);
      return true;
    }
    this.#hopelessFrames = 0;
    if (margin < 0) this.#grow(timestamp + this.#offset, -margin);
    else this.#shrink(margin);
    return true;
  }

  #grow(start: number, samples: number): void {
    this.#restartWatch();
    if (this.#pendingGrowth === 0 && timestampDistance(start, this.#heardUntil) >= 0) {
      // Only concealment was played since. Playout steps back, so that the late packet is played.
      this.#delay += samples;
      this.#playout = (this.#playout - samples) >>> 0;
      return;
    }
    const frames = Math.ceil(samples / this.#frame);
    const room = Math.floor((this.#bounds.maximum - this.#delay) / this.#frame);
    const step = Math.min(frames, room) * this.#frame;
    this.#delay += step;
    this.#pendingGrowth += step;
  }

  #shrink(margin: number): void {
    this.#watched++;
    if (margin < this.#smallestMargin) this.#smallestMargin = margin;
    if (margin > this.#largestMargin) this.#largestMargin = margin;
    if (this.#watched < SHRINK_PACKETS) return;
    this.#delay = Math.max(this.#bounds.minimum, Math.min(this.#largestMargin, this.#bounds.maximum));
    const excess = this.#smallestMargin - this.#bounds.minimum;
    // A margin above the maximum delay means that the sender's timestamps jumped ahead: skip the excess at once.
    if (this.#smallestMargin > this.#bounds.maximum) this.#skip(excess);
    else if (excess < this.#frame) this.#restartWatch();
    else if (this.#skipsNextQuiet) this.#skip(this.#frame);
    else {
      this.#restartWatch();
      this.#skipsNextQuiet = true;
    }
  }

  #restartWatch(): void {
    this.#skipsNextQuiet = false;
    this.#watched = 0;
    this.#smallestMargin = this.#ring;
    this.#largestMargin = 0;
  }

  /** Whether the next frame is quiet or missing. */
  #isQuiet(): boolean {
    for (let i = 0; i < this.#frame; i++) {
      const place = (this.#playout + i) & (this.#ring - 1);
      if (this.#present[place] === 1 && Math.abs(this.#samples[place] ?? 0) > QUIET_PEAK) return false;
    }
    return true;
  }

  #skip(samples: number): void {
    for (let i = 0; i < samples; i++) {
      const place = (this.#playout + i) & (this.#ring - 1);
      this.skippedSamples += this.#present[place] ?? 0;
      this.#present[place] = 0;
    }
    this.#playout = (this.#playout + samples) >>> 0;
    this.#delay = Math.max(this.#delay - samples, this.#bounds.minimum);
    this.#restartWatch();
  }

  /** Schedules `timestamp` one initial delay after the current playout. */
  #rebase(timestamp: number): void {
    this.#started = true;
    this.#startsStream = false;
    this.#isNoisy = false;
    this.#offset = (this.#playout + this.#bounds.initial - timestamp) | 0;
    this.#delay = this.#bounds.initial;
    this.#pendingGrowth = 0;
    this.#hopelessFrames = 0;
    this.#restartWatch();
  }
}
