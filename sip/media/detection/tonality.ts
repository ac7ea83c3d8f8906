import { BIN_HZ, BINS, Spectrum } from './spectrum.ts';

/** The telephone band; energy outside is not counted. */
const BAND_FIRST = Math.round(300 / BIN_HZ);
const BAND_LAST = Math.round(3600 / BIN_HZ);
/** Beeps are at 400–2,500 Hz. One more bin at either end, since a tone between two bins may peak in the outer bin. */
const TONE_FIRST = Math.floor(400 / BIN_HZ) - 1;
const TONE_LAST = Math.ceil(2500 / BIN_HZ) + 1;
/** Bins of Hann's main lobe on either side of its strongest bin. */
const LOBE = 2;
/**
 * A single tone's minimum share of the band's energy. With white noise 5 dB below, a tone has 0.79 on average, and more
 * than this in nearly every window. The detector later decides whether the rest is noise or harmonics of a voice.
 */
const SINGLE_SHARE_MIN = 0.6;
/**
 * The minimum share of two tones. Higher, since two harmonics of a vowel have a larger share than one. Since the stronger tone
 * has less than `SINGLE_SHARE_MIN`, the weaker one is 7.8 dB weaker at most; ITU-T Q.24 allows a twist of 9 dB.
 */
const DUAL_SHARE_MIN = 0.7;
/** Lobe power of a sine of −45 dBFS on the spectrum's scale: quieter tones are ignored. */
const POWER_MIN = (32_768 * 10 ** (-45 / 20)) ** 2 * 6_144;

/** Whether a window contains one or two steady tones, and their frequencies. The fields describe the last `judge`. */
export class Tonality {
  /** The number of tones, 0–2. */
  tones = 0;
  /** Frequency of the stronger tone, in Hz. */
  firstHz = 0;
  /** Frequency of the weaker tone, in Hz; 0 for a single tone. */
  secondHz = 0;
  /** Power of the tones, in dB of the spectrum's own scale. */
  levelDb = 0;
  /** Power outside the tones, and of the whole band, on the spectrum's scale. */
  rest = 0;
  band = 0;
  readonly #spectrum = new Spectrum();

  judge(samples: Int16Array): void {
    this.#spectrum.measure(samples);
    const { power } = this.#spectrum;
    let band = 0;
    for (let i = BAND_FIRST; i <= BAND_LAST; i++) band += power[i] ?? 0;
    this.tones = 0;
    this.band = band;
    const first = this.#greatest(-BINS);
    const firstPower = this.#lobePower(first);
    if (firstPower < POWER_MIN) return;
    if (firstPower >= SINGLE_SHARE_MIN * band) {
      this.#settle(1, first, 0, firstPower);
      return;
    }
    const second = this.#greatest(first);
    const secondPower = this.#lobePower(second);
    if (firstPower + secondPower < DUAL_SHARE_MIN * band) return;
    this.#settle(2, first, second, firstPower + secondPower);
  }

  #settle(tones: number, first: number, second: number, power: number): void {
    this.tones = tones;
    this.firstHz = this.#frequency(first);
    this.secondHz = tones === 2 ? this.#frequency(second) : 0;
    this.levelDb = 10 * Math.log10(power);
    this.rest = Math.max(0, this.band - power);
  }

  /** The strongest bin of the beep range, outside the lobe around `except`. */
  #greatest(except: number): number {
    const { power } = this.#spectrum;
    let greatest = TONE_FIRST;
    let most = -1;
    for (let i = TONE_FIRST; i <= TONE_LAST; i++) {
      const value = power[i] ?? 0;
      if (value <= most || Math.abs(i - except) <= LOBE) continue;
      most = value;
      greatest = i;
    }
    return greatest;
  }

  #lobePower(bin: number): number {
    const { power } = this.#spectrum;
    let sum = 0;
    for (let i = Math.max(0, bin - LOBE); i <= bin + LOBE; i++) sum += power[i] ?? 0;
    return sum;
  }

  /** Interpolates between bins: with Hann's weights, the ratio of two neighbours gives the exact frequency. */
  #frequency(bin: number): number {
    const { power } = this.#spectrum;
    const before = power[bin - 1] ?? 0;
    const after = power[bin + 1] ?? 0;
    const ratio = Math.sqrt(Math.max(before, after) / Math.max(power[bin] ?? 0, Number.MIN_VALUE));
    const shift = (2 * ratio - 1) / (ratio + 1);
    return (bin + (after >= before ? shift : -shift)) * BIN_HZ;
  }
}
