import { BANDS, BandPowers, FRAME_SAMPLES } from './band-powers.ts';

/** A power of two: 2.56 s, for the longest lag and more than a second to learn from. */
export const REMEMBERED_FRAMES = 128;
/** The longest packet that we send, 60 ms at 8 kHz. */
const PACKET_SAMPLES_MAX = 480;
/** A frame is loud from −45 dBFS on: its echo, at least 6 dB weaker, is over the gate of voice activity or near it. */
const LOUD_POWER = (32_768 * 10 ** (-45 / 20)) ** 2;
/** A room returns a sound for longer than it lasted: 6 dB less with each frame, a reverberation time of 200 ms. */
const ROOM_DECAY = 0.25;
/** Share of the latest loud frame in the mean level: about a second of speech. */
const MEAN_SHARE = 0.02;
/** Level differences are bounded, so that silence counts no more than a quiet frame: 12 dB. */
const LEVEL_RANGE = 4;
const SILENT_POWER = 1;
const FRAME_MS = 20;
/** The agent counts as silent from this many played frames without sound. */
const UNHEARD_FRAMES = 10;
/** Packets are played one after another in a thread, so all sessions share this memory. */
const PACKET = new Int16Array(PACKET_SAMPLES_MAX);
const SILENCE = new Int16Array(FRAME_SAMPLES);

/**
 * The audio that a session plays to its peer, frame by frame: the powers of its bands, as an echo would return them, and
 * the differences from their mean level, for the correlation. Powers are mean squares, levels their binary logarithms (3
 * dB). Allocates nothing per packet.
 */
export class PlayedAudio {
  /** The number of played frames. */
  frames = 0;
  readonly #bands = new BandPowers();
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  #filled = 0;
  readonly #power = new Float64Array(BANDS);
  readonly #echoPowers = new Float64Array(REMEMBERED_FRAMES * BANDS);
  readonly #levels = new Float64Array(REMEMBERED_FRAMES * BANDS).fill(-LEVEL_RANGE);
  readonly #norms = new Float64Array(REMEMBERED_FRAMES).fill(BANDS * LEVEL_RANGE ** 2);
  readonly #isLoud = new Uint8Array(REMEMBERED_FRAMES);
  readonly #means = new Float64Array(BANDS);
  #loudFrames = 0;
  #lastLoud = -REMEMBERED_FRAMES;

  /** The first `length` of `samples`, at 8 kHz, were sent. */
  agent(samples: Int16Array, length: number): void {
    this.#append(samples, length);
  }

  /** The first `length` of `samples`, at 16 kHz, were sent. Their upper octave is not counted. */
  agentWide(samples: Int16Array, length: number): void {
    for (let i = 0; i < length / 2; i++) PACKET[i] = ((samples[2 * i] ?? 0) + (samples[2 * i + 1] ?? 0)) >> 1;
    this.#append(PACKET, length / 2);
  }

  /** Nothing was sent for this time. */
  agentSilent(durationMs: number): void {
    const samples = Math.round((durationMs * FRAME_SAMPLES) / FRAME_MS);
    for (let left = Math.min(samples, REMEMBERED_FRAMES * FRAME_SAMPLES); left > 0; left -= FRAME_SAMPLES) {
      if (this.#filled === 0 && left >= FRAME_SAMPLES) this.#takeSilence();
      else this.#append(SILENCE, Math.min(left, FRAME_SAMPLES));
    }
  }

  /** Frames since the last loud one, counted back from `frame`; negative if a later one is loud. */
  silentFrames(frame: number): number {
    return frame - this.#lastLoud;
  }

  /** The agent was loud in the last 0.2 s. */
  get isHeard(): boolean {
    return this.silentFrames(this.frames - 1) < UNHEARD_FRAMES;
  }

  isLoud(frame: number): boolean {
    return this.#isLoud[frame & (REMEMBERED_FRAMES - 1)] === 1;
  }

  /** The power that an echo of this frame without loss has in a band; 0 for a frame that is not played yet. */
  echoPower(frame: number, band: number): number {
    if (frame >= this.frames) return 0;
    return this.#echoPowers[(frame & (REMEMBERED_FRAMES - 1)) * BANDS + band] ?? 0;
  }

  /** The product of the levels of this frame with `levels`. */
  correlate(frame: number, levels: Float64Array): number {
    const at = (frame & (REMEMBERED_FRAMES - 1)) * BANDS;
    const own = this.#levels;
    let sum = 0;
    for (let band = 0; band < BANDS; band++) sum += (own[at + band] ?? 0) * (levels[band] ?? 0);
    return sum;
  }

  /** The sum of the squared levels of this frame. */
  norm(frame: number): number {
    return this.#norms[frame & (REMEMBERED_FRAMES - 1)] ?? 0;
  }

  #append(samples: Int16Array, length: number): void {
    if (this.#filled === 0 && length === FRAME_SAMPLES) {
      this.#take(samples);
      return;
    }
    for (let i = 0; i < length; i++) {
      this.#frame[this.#filled++] = samples[i] ?? 0;
      if (this.#filled < FRAME_SAMPLES) continue;
      this.#filled = 0;
      this.#take(this.#frame);
    }
  }

  #take(samples: Int16Array): void {
    this.#bands.measure(samples, this.#power, 0);
    this.#remember();
  }

  /** The same as for a frame of zeros. */
  #takeSilence(): void {
    this.#power.fill(0);
    this.#remember();
  }

  /** Remembers a frame with the powers in `#power`. */
  #remember(): void {
    const power = this.#power;
    const frame = this.frames++;
    const slot = frame & (REMEMBERED_FRAMES - 1);
    const before = ((frame - 1) & (REMEMBERED_FRAMES - 1)) * BANDS;
    let sum = 0;
    for (let band = 0; band < BANDS; band++) {
      const own = power[band] ?? 0;
      const rest = (this.#echoPowers[before + band] ?? 0) * ROOM_DECAY;
      this.#echoPowers[slot * BANDS + band] = own > rest ? own : rest;
      sum += own;
    }
    this.#isLoud[slot] = sum >= LOUD_POWER ? 1 : 0;
    if (sum >= LOUD_POWER) this.#rememberLoud(frame, slot);
    else {
      this.#levels.fill(-LEVEL_RANGE, slot * BANDS, (slot + 1) * BANDS);
      this.#norms[slot] = BANDS * LEVEL_RANGE ** 2;
    }
  }

  #rememberLoud(frame: number, slot: number): void {
    this.#lastLoud = frame;
    this.#loudFrames++;
    // The first second is averaged evenly.
    const share = Math.max(MEAN_SHARE, 1 / this.#loudFrames);
    let norm = 0;
    for (let band = 0; band < BANDS; band++) {
      const level = Math.log2((this.#power[band] ?? 0) + SILENT_POWER);
      const mean = (this.#means[band] ?? 0) + share * (level - (this.#means[band] ?? 0));
      this.#means[band] = mean;
      const difference = Math.max(-LEVEL_RANGE, Math.min(LEVEL_RANGE, level - mean));
      this.#levels[slot * BANDS + band] = difference;
      norm += difference * difference;
    }
    this.#norms[slot] = norm;
  }
}
