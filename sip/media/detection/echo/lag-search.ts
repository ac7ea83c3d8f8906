import { BANDS } from './band-powers.ts';
import { type PlayedAudio, REMEMBERED_FRAMES } from './played-audio.ts';

/** Lags of whole frames, 0–940 ms: the networks' delay, the phone's buffers and the room. */
export const LAGS = 48;
/** Each heard frame reduces the weight of the earlier ones: 2 s of sound count. */
const KEPT_SHARE = 0.99;
/** An echo is accepted from this much sound on. Shorter speech of two people resembles each other by chance. */
const FRAMES_MIN = 25;
/** Correlation of levels from which they are an echo: an echo has 0.7–0.95, independent speech up to 0.45. */
const CORRELATION_MIN = 0.55;
/** A later lag replaces the accepted one if its correlation is higher by this. */
const CORRELATION_STEP = 0.1;
/** At each lag 0.3 s of loud audio returned nothing: there is no audible echo. */
const UNHEARD_FRAMES_MIN = 15;
/** Sound that resembles the played audio at no lag: after 1.5 s of it there is no echo over the noise. */
const UNRELATED_FRAMES = 53;
const UNRELATED_CORRELATION = 0.4;

/**
 * Finds the lag of the echo: the one at which the levels of the received bands follow those of the played bands. Levels are
 * differences from their mean. Allocates nothing.
 */
export class LagSearch {
  /** The lag of the echo in frames; −1: none is known. */
  lag = -1;
  /** Whether the search has decided: `lag` is known, or there is no audible echo. */
  isDecided = false;
  /** Correlation at the best lag. */
  correlation = 0;
  readonly #products = new Float64Array(LAGS);
  readonly #playedNorms = new Float64Array(LAGS);
  readonly #unheard = new Uint16Array(LAGS);
  #heardNorm = 0;
  /** Heard frames, weighted as the sums are. */
  #weight = 0;

  /**
   * Takes the levels of a frame with sound, and returns a lag that may be that of the echo and is not known yet; −1: none.
   *
   * @param frame the played frame at lag 0
   */
  heard(played: PlayedAudio, frame: number, levels: Float64Array): number {
    let norm = 0;
    for (let band = 0; band < BANDS; band++) norm += (levels[band] ?? 0) ** 2;
    this.#weight = this.#weight * KEPT_SHARE + 1;
    this.#heardNorm = this.#heardNorm * KEPT_SHARE + norm;
    let best = 0;
    let bestShare = -1;
    for (let lag = 0; lag < LAGS; lag++) {
      const product = (this.#products[lag] ?? 0) * KEPT_SHARE + played.correlate(frame - lag, levels);
      const playedNorm = (this.#playedNorms[lag] ?? 0) * KEPT_SHARE + played.norm(frame - lag);
      this.#products[lag] = product;
      this.#playedNorms[lag] = playedNorm;
      if (product <= 0) continue;
      const share = (product * product) / playedNorm;
      if (share <= bestShare) continue;
      bestShare = share;
      best = lag;
    }
    this.correlation = bestShare <= 0 || this.#heardNorm === 0 ? 0 : Math.sqrt(bestShare / this.#heardNorm);
    return this.#candidate(best);
  }

  /** The candidate is the lag of the echo. */
  accept(lag: number): void {
    this.lag = lag;
    this.isDecided = true;
  }

  /** The line no longer returns an echo at the lag. Whether it returns one at another lag is open again. */
  forget(): void {
    this.lag = -1;
    this.isDecided = false;
    this.#unheard.fill(0);
    this.#restart();
  }

  /** A frame without sound, while the played audio was loud at some lag. */
  unheard(played: PlayedAudio, frame: number): void {
    if (this.isDecided) return;
    let isNowhere = true;
    for (let lag = 0; lag < LAGS; lag++) {
      if (played.isLoud(frame - lag)) this.#unheard[lag] = (this.#unheard[lag] ?? 0) + 1;
      if ((this.#unheard[lag] ?? 0) < UNHEARD_FRAMES_MIN) isNowhere = false;
    }
    this.isDecided = isNowhere;
  }

  /**
   * The clocks moved by this many frames against each other: the known lag moves with them, also beyond the lags that are
   * searched, and the search starts again. False: the lag left the remembered audio, and is forgotten.
   */
  shift(frames: number): boolean {
    this.#restart();
    if (this.lag < 0) return true;
    this.lag += frames;
    if (this.lag >= 0 && this.lag < REMEMBERED_FRAMES) return true;
    this.forget();
    return false;
  }

  #restart(): void {
    this.#products.fill(0);
    this.#playedNorms.fill(0);
    this.#heardNorm = 0;
    this.#weight = 0;
  }

  #candidate(best: number): number {
    if (this.#weight < FRAMES_MIN) return -1;
    if (this.correlation < CORRELATION_MIN) {
      if (this.#weight >= UNRELATED_FRAMES && this.correlation < UNRELATED_CORRELATION) this.isDecided = true;
      return -1;
    }
    if (this.lag >= 0 && this.correlation < this.#correlationAt(this.lag) + CORRELATION_STEP) return -1;
    return best;
  }

  #correlationAt(lag: number): number {
    const norms = (this.#playedNorms[lag] ?? 0) * this.#heardNorm;
    return norms === 0 ? 0 : (this.#products[lag] ?? 0) / Math.sqrt(norms);
  }
}
