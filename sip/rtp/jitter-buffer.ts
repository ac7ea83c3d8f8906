import { ComfortNoise } from './comfort-noise.ts';
import { Concealment } from './concealment.ts';
import { timestampDistance } from './serial.ts';

/** Ring size: 1.024 s at 8 kHz, a power of two, so that a timestamp's low bits are the place. */
const RING_SAMPLES = 8192;
const RING_MASK = RING_SAMPLES - 1;
/** What one `pull` takes: 20 ms at 8 kHz. */
export const PLAYOUT_FRAME_SAMPLES = 160;

/** Bounds of the playout delay, in samples. */
export interface PlayoutDelay {
  readonly initial: number;
  /** It shrinks no further. */
  readonly minimum: number;
  readonly maximum: number;
}

/**
 * For people who talk to each other: 40 ms at first, never less than one packet; beyond 200 ms they begin to talk over
 * each other, and a loss is the lesser evil.
 */
export const BRIDGE_DELAY: PlayoutDelay = { initial: 320, minimum: 160, maximum: 1600 };
/** For recordings, where nobody waits: 200 ms, so that hardly a packet is late and playout hardly ever moves. */
export const RECORDING_DELAY: PlayoutDelay = { initial: 1600, minimum: 1600, maximum: 3200 };
/** So many packets are watched before the delay shrinks by a frame: 1 s at 20 ms a packet. */
const SHRINK_PACKETS = 50;
/**
 * In so many frames without one packet in time, packets came that no permitted delay could have saved: the sender's
 * clock has moved, follow it. Counted by frames, as the burst after a stalled network is one event.
 */
const RESYNC_FRAMES = 5;
/** RFC 3389 gives comfort noise no length: of what it stands for, one frame is laid down as audio would be. */
const COMFORT_NOISE_SAMPLES = 160;

/**
 * Reordering and playout delay for audio at 8 kHz: packets of any length go in at their timestamps, exactly 160 samples
 * come out every 20 ms, missing ones concealed. For bridges and recordings. The delay grows when packets come late (a late
 * one is still played where nothing behind it was) and shrinks, 20 ms a step, when all of the last second came early, within
 * its bounds. Thus clock drift is followed too. Everything stands in arrays made once.
 */
export class JitterBuffer {
  /** Packets, since this object was made. */
  late = 0;
  duplicates = 0;
  /** Times the playout point was moved because the sender's timestamps had. */
  resyncs = 0;
  /** Samples that were missing when they were due. */
  concealedSamples = 0;

  private readonly samples = new Int16Array(RING_SAMPLES);
  /** 1 where `samples` holds audio that was not yet played. */
  private readonly present = new Uint8Array(RING_SAMPLES);
  private readonly concealment = new Concealment();
  private readonly noise = new ComfortNoise();
  private readonly noiseFrame = new Int16Array(COMFORT_NOISE_SAMPLES);
  /** Comfort noise stands for what is missing from `noiseFrom` on, own timestamps, until audio begins again. */
  private isNoisy = false;
  private noiseFrom = 0;
  private noiseUntil = 0;
  private isNoiseEnded = false;
  private started = false;
  /** The next packet begins a stream; what is left of the one before is still played. */
  private anew = true;
  /** From the stream's timestamps to the buffer's own, which go on over streams. */
  private offset = 0;
  /** Own timestamp of the next sample to play. */
  private playout = 0;
  /** Own timestamp behind the last real sample that was played. */
  private heardUntil = 0;
  /** Samples for which playout stands still, so that the delay grows. */
  private hold = 0;
  /** How long the packet that waits longest does so: measured each second, and what was added since. */
  private delay: number;
  private watched = 0;
  private smallestMargin = RING_SAMPLES;
  private largestMargin = 0;
  private hopelessFrames = 0;
  private hopelessInFrame = false;
  private readonly bounds: PlayoutDelay;

  constructor(bounds: PlayoutDelay = RECORDING_DELAY) {
    this.bounds = bounds;
    this.delay = bounds.initial;
  }

  /** Takes `length` decoded samples that begin at `timestamp`. False where all of them came too late or twice. */
  push(timestamp: number, audio: Int16Array, length: number): boolean {
    if (!this.lay(timestamp, audio, length)) return false;
    this.endNoise((timestamp + this.offset) >>> 0);
    return true;
  }

  private lay(timestamp: number, audio: Int16Array, length: number): boolean {
    if (length === 0 || length > RING_SAMPLES / 2) return false;
    if (this.anew) this.rebase(timestamp);
    if (!this.adapt(timestamp, length)) {
      this.late++;
      return false;
    }
    const start = (timestamp + this.offset) >>> 0;
    const first = Math.max(0, -timestampDistance(start, this.playout));
    if (first >= length) {
      this.late++;
      return false;
    }
    let fresh = 0;
    for (let i = first; i < length; i++) {
      const place = (start + i) & RING_MASK;
      if (this.present[place] === 1) continue;
      this.present[place] = 1;
      this.samples[place] = audio[i] ?? 0;
      fresh++;
    }
    if (fresh === 0) this.duplicates++;
    return fresh > 0;
  }

  /** Takes a comfort noise packet (RFC 3389): noise of `level` dB below full scale from `timestamp` until audio comes. */
  pushComfortNoise(timestamp: number, level: number): void {
    this.noise.level = level;
    this.noise.fill(this.noiseFrame, 0, COMFORT_NOISE_SAMPLES);
    if (!this.lay(timestamp, this.noiseFrame, COMFORT_NOISE_SAMPLES)) return;
    if (!this.isNoisy || this.isNoiseEnded) this.noiseFrom = (timestamp + this.offset) >>> 0;
    this.isNoisy = true;
    this.isNoiseEnded = false;
  }

  /**
   * Plays the next 160 samples into `into[at]` on and answers how many of them were real; before the first packet all
   * are silence.
   */
  pull(into: Int16Array, at = 0): number {
    this.hopelessInFrame = false;
    if (!this.started) {
      into.fill(0, at, at + PLAYOUT_FRAME_SAMPLES);
      return 0;
    }
    if (this.hold >= PLAYOUT_FRAME_SAMPLES) {
      this.hold -= PLAYOUT_FRAME_SAMPLES;
      this.concealment.conceal(into, at, PLAYOUT_FRAME_SAMPLES);
      return 0;
    }
    let real = 0;
    let i = 0;
    while (i < PLAYOUT_FRAME_SAMPLES) {
      const start = i;
      const wanted = this.present[(this.playout + i) & RING_MASK];
      while (i < PLAYOUT_FRAME_SAMPLES && this.present[(this.playout + i) & RING_MASK] === wanted) {
        const place = (this.playout + i) & RING_MASK;
        this.present[place] = 0;
        into[at + i] = this.samples[place] ?? 0;
        i++;
      }
      if (wanted === 1) {
        this.concealment.heard(into, at + start, i - start);
        real += i - start;
        this.heardUntil = (this.playout + i) >>> 0;
      } else if (this.isNoiseAt((this.playout + start) >>> 0)) this.noise.fill(into, at + start, i - start);
      else this.concealment.conceal(into, at + start, i - start);
    }
    this.concealedSamples += PLAYOUT_FRAME_SAMPLES - real;
    this.playout = (this.playout + PLAYOUT_FRAME_SAMPLES) >>> 0;
    return real;
  }

  /** Current playout delay, in samples. */
  get delaySamples(): number {
    return this.delay;
  }

  /** The source began anew: the next packet follows what is still to be played, whatever its timestamp. */
  reset(): void {
    this.anew = true;
  }

  /** Audio begins again: what is missing behind its start is a loss. */
  private endNoise(start: number): void {
    if (!this.isNoisy || this.isNoiseEnded || timestampDistance(start, this.noiseFrom) <= 0) return;
    this.isNoiseEnded = true;
    this.noiseUntil = start;
  }

  private isNoiseAt(place: number): boolean {
    if (!this.isNoisy || timestampDistance(place, this.noiseFrom) < 0) return false;
    if (this.isNoiseEnded && timestampDistance(place, this.noiseUntil) >= 0) this.isNoisy = false;
    return this.isNoisy;
  }

  /** Adapts the delay to one packet; false where nothing can be done for it. */
  private adapt(timestamp: number, length: number): boolean {
    const margin = timestampDistance(timestamp + this.offset, this.playout) + this.hold;
    if (margin + length > RING_SAMPLES || margin + this.bounds.maximum - this.delay < 0) {
      if (!this.hopelessInFrame) this.hopelessFrames++;
      this.hopelessInFrame = true;
      if (this.hopelessFrames < RESYNC_FRAMES) return false;
      this.resyncs++;
      this.rebase(timestamp);
      return true;
    }
    this.hopelessFrames = 0;
    if (margin < 0) this.grow(timestamp + this.offset, -margin);
    else this.shrink(margin);
    return true;
  }

  private grow(start: number, samples: number): void {
    this.watchAnew();
    if (this.hold === 0 && timestampDistance(start, this.heardUntil) >= 0) {
      // Only concealment was played since: step back, and the late packet is in time after all.
      this.delay += samples;
      this.playout = (this.playout - samples) >>> 0;
      return;
    }
    const frames = Math.ceil(samples / PLAYOUT_FRAME_SAMPLES);
    const room = Math.floor((this.bounds.maximum - this.delay) / PLAYOUT_FRAME_SAMPLES);
    const step = Math.min(frames, room) * PLAYOUT_FRAME_SAMPLES;
    this.delay += step;
    this.hold += step;
  }

  private shrink(margin: number): void {
    this.watched++;
    if (margin < this.smallestMargin) this.smallestMargin = margin;
    if (margin > this.largestMargin) this.largestMargin = margin;
    if (this.watched < SHRINK_PACKETS) return;
    this.delay = Math.max(this.bounds.minimum, Math.min(this.largestMargin, this.bounds.maximum));
    const excess = this.smallestMargin - this.bounds.minimum;
    // A margin that no delay of ours explains is the sender's clock running ahead: step over all of it at once.
    const step = this.smallestMargin > this.bounds.maximum ? excess : PLAYOUT_FRAME_SAMPLES;
    if (excess >= PLAYOUT_FRAME_SAMPLES) this.skip(step);
    this.watchAnew();
  }

  private watchAnew(): void {
    this.watched = 0;
    this.smallestMargin = RING_SAMPLES;
    this.largestMargin = 0;
  }

  private skip(samples: number): void {
    for (let i = 0; i < samples; i++) this.present[(this.playout + i) & RING_MASK] = 0;
    this.playout = (this.playout + samples) >>> 0;
    this.delay = Math.max(this.delay - samples, this.bounds.minimum);
  }

  /** Lets `timestamp` be played one initial delay from now. */
  private rebase(timestamp: number): void {
    this.started = true;
    this.anew = false;
    this.isNoisy = false;
    this.offset = (this.playout + this.bounds.initial - timestamp) | 0;
    this.delay = this.bounds.initial;
    this.hold = 0;
    this.hopelessFrames = 0;
    this.watchAnew();
  }
}
