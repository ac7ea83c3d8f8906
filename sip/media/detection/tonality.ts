import { BIN_HZ, BINS, Spectrum } from './spectrum.ts';

/** What a telephone carries; energy outside of it is not counted. */
const BAND_FIRST = Math.round(300 / BIN_HZ);
const BAND_LAST = Math.round(3600 / BIN_HZ);
/** Beeps lie at 400–2,500 Hz; a bin more at either end, as a tone between two bins may stand in the outer one. */
const TONE_FIRST = Math.floor(400 / BIN_HZ) - 1;
const TONE_LAST = Math.ceil(2500 / BIN_HZ) + 1;
/** Hann's main lobe, to either side of its greatest bin. */
const LOBE = 2;
/**
 * Share of the band's energy. White noise 5 dB below a tone leaves 0.79 of it on average, and so much in nearly every
 * window. Whether the rest is noise or a voice's other harmonics is judged later, beside what is heard around the tone.
 */
const SINGLE_SHARE_MIN = 0.6;
/** Of two tones together: more, as any two harmonics of a vowel hold more than one. */
const DUAL_SHARE_MIN = 0.7;
/** Of the weaker of two to the stronger, −9 dB: the twist that ITU-T Q.24 lets DTMF have. */
const TWIST_MIN = 10 ** (-9 / 10);
/** Lobe power of a sine of −45 dBFS, by the spectrum's measure: quieter ones are not meant to be heard. */
const POWER_MIN = (32_768 * 10 ** (-45 / 20)) ** 2 * 6_144;

/** Whether a window holds one steady tone, or two, and which. The fields are those of the last `judge`. */
export class Tonality {
  /** 0: no tone. */
  tones = 0;
  /** The stronger one, in Hz. */
  firstHz = 0;
  /** 0 for a single tone. */
  secondHz = 0;
  /** Power of the tones, in dB of the spectrum's own scale. */
  levelDb = 0;
  /** Power of all that is not the tones, and of the whole band, in the spectrum's own scale. */
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
    if (secondPower < TWIST_MIN * firstPower || firstPower + secondPower < DUAL_SHARE_MIN * band) return;
    this.#settle(2, first, second, firstPower + secondPower);
  }

  #settle(tones: number, first: number, second: number, power: number): void {
    this.tones = tones;
    this.firstHz = this.#frequency(first);
    this.secondHz = tones === 2 ? this.#frequency(second) : 0;
    this.levelDb = 10 * Math.log10(power);
    this.rest = Math.max(0, this.band - power);
  }

  /** The greatest bin where beeps lie, outside of the lobe around another one. */
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

  /** Between bins: with Hann's weights the ratio of two neighbours gives the place exactly. */
  #frequency(bin: number): number {
    const { power } = this.#spectrum;
    const before = power[bin - 1] ?? 0;
    const after = power[bin + 1] ?? 0;
    const ratio = Math.sqrt(Math.max(before, after) / Math.max(power[bin] ?? 0, Number.MIN_VALUE));
    const shift = (2 * ratio - 1) / (ratio + 1);
    return (bin + (after >= before ? shift : -shift)) * BIN_HZ;
  }
}
