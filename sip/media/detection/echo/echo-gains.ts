import { BANDS } from './band-powers.ts';
import { type PlayedAudio, REMEMBERED_FRAMES } from './played-audio.ts';

/** The gains cover four of five frames of the echo; `MARGIN` covers the rest. */
const COVERED_SHARE = 0.8;
/** Powers this many times the prediction are not explained by the echo: 6 dB, and 3 dB while the user speaks. */
const MARGIN = 4;
const SPEAKING_MARGIN = 2;
/** Steps of a gain for one frame, in units of 3 dB. Their ratio keeps the gain at `COVERED_SHARE`. */
const STEP_UP = 0.06;
const STEP_DOWN = STEP_UP * ((1 - COVERED_SHARE) / COVERED_SHARE);
/** A user who speaks over the echo raises the gains this many times slower. */
const NEAR_END_SLOWNESS = 20;
/** The gain of a louder echo would hide every user: −6 dB. */
const GAIN_MAX = -2;
const GAIN_MIN = -20;
/** Mean square of −55 dBFS in all bands: quieter predictions say nothing about the line. */
const PREDICTED_POWER_MIN = (32_768 * 10 ** (-55 / 20)) ** 2;
/** A frame this many times weaker than predicted (9 dB) is no echo. */
const MISSING_RATIO = 8;
/** More missing frames than this are no echo: the resemblance was chance, or the line has changed. */
const MISSING_SHARE_MAX = 0.25;
/** Frames whose echo must be predicted before the missing ones count. */
const PREDICTED_FRAMES_MIN = 20;
/** Share of the latest frame in the running share of missing frames: about two seconds of predicted echo. */
const MISSING_STEP = 0.01;
/** The played audio may be ahead of the received by this many frames; further ahead, nothing is learnt. */
const CLOCK_FRAMES = 16;

/**
 * The echo's gain in each band, and the echo that it predicts for a frame. Gains are binary logarithms of ratios of powers
 * (3 dB). Allocates nothing per frame.
 */
export class EchoGains {
  readonly #gains = new Float64Array(BANDS);
  readonly #trial = new Float64Array(BANDS);
  readonly #factors = new Float64Array(BANDS);
  /** The prediction for the current frame, and its sum. */
  readonly #predicted = new Float64Array(BANDS);
  #predictedSum = 0;
  /** Share of the predicted echoes that did not arrive. */
  #missing = 0;
  /** Levels and powers of the received frames, by the number of the played frame at lag 0; power 0: no sound. */
  readonly #levels = new Float64Array(REMEMBERED_FRAMES * BANDS);
  readonly #powers = new Float64Array(REMEMBERED_FRAMES);
  #last = 0;
  readonly #sorted = new Float64Array(REMEMBERED_FRAMES);

  /** Remembers a received frame for `learn`. `power`: the sum of its bands, 0 without sound. */
  remember(frame: number, levels: Float64Array, power: number): void {
    for (let skipped = Math.max(this.#last + 1, frame - REMEMBERED_FRAMES); skipped < frame; skipped++) {
      this.#powers[slotOf(skipped)] = 0;
    }
    this.#powers[slotOf(frame)] = power;
    this.#levels.set(levels, slotOf(frame) * BANDS);
    this.#last = frame;
  }

  /** Learns the gains at a lag from the remembered frames. False if they show no echo there, or are too late: the gains stay. */
  learn(played: PlayedAudio, frame: number, lag: number): boolean {
    if (played.frames - frame > CLOCK_FRAMES) return false;
    const depth = REMEMBERED_FRAMES - lag - CLOCK_FRAMES;
    for (let band = 0; band < BANDS; band++) this.#trial[band] = this.#coveringGain(played, frame, lag, band, depth);
    if (!this.#arrives(played, frame, lag, depth)) return false;
    for (let band = 0; band < BANDS; band++) this.#set(band, this.#trial[band] ?? GAIN_MIN);
    this.#missing = 0;
    return true;
  }

  /** Predicts the echo for the current frame. `source`: the played frame that it returns. */
  predict(played: PlayedAudio, source: number): void {
    let sum = 0;
    for (let band = 0; band < BANDS; band++) {
      const predicted = echoPower(played, source, band) * (this.#factors[band] ?? 0);
      this.#predicted[band] = predicted;
      sum += predicted;
    }
    this.#predictedSum = sum;
  }

  /** The power of the current frame that the echo does not explain. */
  residual(powers: Float64Array, isSpeaking: boolean): number {
    const margin = isSpeaking ? SPEAKING_MARGIN : MARGIN;
    let residual = 0;
    for (let band = 0; band < BANDS; band++) {
      const unexplained = (powers[band] ?? 0) - margin * (this.#predicted[band] ?? 0);
      if (unexplained > 0) residual += unexplained;
    }
    return residual;
  }

  /** Follows a line that changes. False once the line no longer returns the echo. */
  adapt(powers: Float64Array, power: number, isNear: boolean): boolean {
    if (this.#predictedSum < PREDICTED_POWER_MIN) return true;
    const stepUp = isNear ? STEP_UP / NEAR_END_SLOWNESS : STEP_UP;
    for (let band = 0; band < BANDS; band++) {
      const isLouder = (powers[band] ?? 0) > (this.#predicted[band] ?? 0);
      this.#set(band, (this.#gains[band] ?? 0) + (isLouder ? stepUp : -STEP_DOWN));
    }
    const isMissing = power * MISSING_RATIO < this.#predictedSum ? 1 : 0;
    this.#missing += MISSING_STEP * (isMissing - this.#missing);
    return this.#missing <= MISSING_SHARE_MAX;
  }

  #coveringGain(played: PlayedAudio, frame: number, lag: number, band: number, depth: number): number {
    let count = 0;
    for (let back = 0; back < depth; back++) {
      const slot = slotOf(frame - back);
      const source = frame - back - lag;
      if (this.#powers[slot] === 0 || !played.isLoud(source)) continue;
      const echo = echoPower(played, source, band);
      this.#sorted[count++] = (this.#levels[slot * BANDS + band] ?? 0) - Math.log2(echo + 1);
    }
    if (count === 0) return GAIN_MIN;
    // In place: a view of the first values would be an object for each trial.
    this.#sorted.fill(Number.POSITIVE_INFINITY, count).sort();
    const gain = this.#sorted[Math.floor(COVERED_SHARE * count)] ?? GAIN_MIN;
    return Math.max(GAIN_MIN, Math.min(GAIN_MAX, gain));
  }

  /** Whether the trial gains predict echoes that did arrive. */
  #arrives(played: PlayedAudio, frame: number, lag: number, depth: number): boolean {
    let predictedFrames = 0;
    let missingFrames = 0;
    for (let back = 0; back < depth; back++) {
      let predicted = 0;
      for (let band = 0; band < BANDS; band++) {
        predicted += echoPower(played, frame - back - lag, band) * 2 ** (this.#trial[band] ?? 0);
      }
      if (predicted < PREDICTED_POWER_MIN) continue;
      predictedFrames++;
      if ((this.#powers[slotOf(frame - back)] ?? 0) * MISSING_RATIO < predicted) missingFrames++;
    }
    return predictedFrames >= PREDICTED_FRAMES_MIN && missingFrames <= MISSING_SHARE_MAX * predictedFrames;
  }

  #set(band: number, gain: number): void {
    const bounded = Math.max(GAIN_MIN, Math.min(GAIN_MAX, gain));
    this.#gains[band] = bounded;
    this.#factors[band] = 2 ** bounded;
  }
}

/** The echo of a frame may begin in the middle of a received frame: the louder one of two counts. */
function echoPower(played: PlayedAudio, source: number, band: number): number {
  return Math.max(played.echoPower(source, band), played.echoPower(source + 1, band));
}

function slotOf(frame: number): number {
  return frame & (REMEMBERED_FRAMES - 1);
}
