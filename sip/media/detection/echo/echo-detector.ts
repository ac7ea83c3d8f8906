import { BANDS, BandPowers, FRAME_SAMPLES } from './band-powers.ts';
import { EchoGains } from './echo-gains.ts';
import { LAGS, LagSearch } from './lag-search.ts';
import type { PlayedAudio } from './played-audio.ts';

/** The content of a received frame, for voice activity. Numbers, since one is returned for each frame. */
export const NEAR_END = 0;
/** Nothing louder than the echo of the played audio. */
export const ECHO = 1;
/** Sound during playout, while the echo of the line is not known yet. */
export const UNCERTAIN = 2;

const FRAME_MS = 20;
/** The echo of a sound may end this many frames after the longest lag: 0.2 s of reverberation. */
const TAIL_FRAMES = 10;
/** Sound under −60 dBFS is too quiet to learn from: the noise of a silent line. */
const HEARD_POWER = (32_768 * 10 ** (-60 / 20)) ** 2;
/** Mean square of −50 dBFS, the gate of voice activity: what the echo does not explain must be louder. */
const RESIDUAL_POWER = (32_768 * 10 ** (-50 / 20)) ** 2;
/** Share of the latest frame in the mean level of the received sound: about a second. */
const MEAN_SHARE = 0.02;
/** Level differences are bounded like those of the played audio: 12 dB. */
const LEVEL_RANGE = 4;
/** Received frames may stay this much later than the earliest ones (jitter) before the clocks are aligned again. */
const CLOCK_SLIP_FRAMES = 12;
/**
 * Frames that a stall of the network held back, or that fill a gap of up to a second, are late, but not for longer than this
 * after the last frame in time. The played audio is remembered for so long a delay and the longest lag together.
 */
const STALL_FRAMES = 64;
/** A lag is tried once in this many frames: a trial costs as much as five frames. */
const TRIAL_FRAMES = 5;

/**
 * Distinguishes near-end speech from the echo of the audio that is played to the peer: each band of the received frame is
 * compared with the echo that the played audio, the learnt lag and the learnt gains predict. Allocates nothing per
 * frame.
 */
export class EchoDetector {
  readonly #played: PlayedAudio;
  readonly #onLearnt: (delayMs: number | null) => void;
  readonly #bands = new BandPowers();
  readonly #search = new LagSearch();
  readonly #gains = new EchoGains();
  readonly #powers = new Float64Array(BANDS);
  readonly #levels = new Float64Array(BANDS);
  readonly #differences = new Float64Array(BANDS);
  readonly #means = new Float64Array(BANDS);
  /** Received frames, and those that were skipped. */
  #heardFrames = 0;
  /** Skipped samples that make no whole frame. */
  #skippedSamples = 0;
  #soundFrames = 0;
  /** Played frames minus received frames when the clocks were aligned. */
  #clockOffset = 0;
  /** False before the first frame of a stream. */
  #isAligned = false;
  /** How late the last frame in time was, in frames, and the played frame that left then. */
  #lateFrames = 0;
  #inTimeFrame = 0;

  /** @param onLearnt called when the delay of the echo is known, changes, or is no longer there */
  constructor(played: PlayedAudio, onLearnt: (delayMs: number | null) => void) {
    this.#played = played;
    this.#onLearnt = onLearnt;
  }

  /**
   * Classifies the next 20 ms of the received audio: `NEAR_END`, `ECHO` or `UNCERTAIN`.
   *
   * @param isSpeaking the frames before it contain the peer's own voice
   */
  hear(samples: Int16Array, isSpeaking: boolean): number {
    const played = this.#played;
    const search = this.#search;
    const frame = this.#playedFrame();
    if (played.silentFrames(frame) > Math.max(LAGS, search.lag) + TAIL_FRAMES) return NEAR_END;
    const powers = this.#powers;
    this.#bands.measure(samples, powers, 0);
    let power = 0;
    for (let band = 0; band < BANDS; band++) power += powers[band] ?? 0;
    const isSound = power >= HEARD_POWER;
    if (isSound) this.#learn(frame, power);
    else {
      this.#gains.remember(frame, this.#levels, 0);
      search.unheard(played, frame);
    }
    if (search.lag < 0) return search.isDecided ? NEAR_END : UNCERTAIN;
    this.#gains.predict(played, frame - search.lag);
    const isNear = isSound && this.#gains.residual(powers, isSpeaking) >= RESIDUAL_POWER;
    if (!this.#gains.adapt(powers, power, isNear)) {
      search.forget();
      this.#onLearnt(null);
    }
    return isNear ? NEAR_END : ECHO;
  }

  /** `samples` of the received audio are missing before the next frame. */
  skip(samples: number): void {
    const skipped = this.#skippedSamples + samples;
    this.#skippedSamples = skipped % FRAME_SAMPLES;
    this.#heardFrames += (skipped - this.#skippedSamples) / FRAME_SAMPLES;
  }

  /** Another stream of the peer begins, an unknown time after the last frame. It is assumed to have the same network delay. */
  restart(): void {
    this.#isAligned = false;
  }

  /** Looks for the lag of the echo in a frame with sound. */
  #learn(frame: number, power: number): void {
    const played = this.#played;
    const search = this.#search;
    this.#measureLevels();
    this.#gains.remember(frame, this.#levels, power);
    const lag = search.heard(played, frame, this.#differences);
    if (lag < 0 || frame % TRIAL_FRAMES !== 0 || !this.#gains.learn(played, frame, lag)) return;
    search.accept(lag);
    this.#onLearnt(lag * FRAME_MS);
  }

  /**
   * The number of the played frame that left when this frame was received. Both clocks advance by one frame in 20 ms; only
   * their distance at the start counts, so that neither jitter nor a stall moves the lag.
   */
  #playedFrame(): number {
    const now = this.#played.frames - 1;
    const expected = this.#heardFrames++ + this.#clockOffset;
    const late = now - expected;
    if (!this.#isAligned) {
      this.#isAligned = true;
      this.#clockOffset += late - this.#lateFrames;
      this.#inTimeFrame = now;
      return now - this.#lateFrames;
    }
    if (late >= 0 && late <= CLOCK_SLIP_FRAMES) {
      this.#lateFrames = late;
      this.#inTimeFrame = now;
      return expected;
    }
    if (late > 0 && now - this.#inTimeFrame <= STALL_FRAMES) return expected;
    this.#clockOffset += late;
    if (!this.#search.shift(late)) this.#onLearnt(null);
    return now;
  }

  #measureLevels(): void {
    this.#soundFrames++;
    const share = Math.max(MEAN_SHARE, 1 / this.#soundFrames);
    for (let band = 0; band < BANDS; band++) {
      const level = Math.log2((this.#powers[band] ?? 0) + 1);
      const mean = (this.#means[band] ?? 0) + share * (level - (this.#means[band] ?? 0));
      this.#means[band] = mean;
      this.#levels[band] = level;
      this.#differences[band] = Math.max(-LEVEL_RANGE, Math.min(LEVEL_RANGE, level - mean));
    }
  }
}
