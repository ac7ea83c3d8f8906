import { describe, expect, it } from 'vitest';
import { BIN_HZ, WINDOW_SAMPLES } from '../../../../sip/media/detection/spectrum.ts';
import { Tonality } from '../../../../sip/media/detection/tonality.ts';

const FULL_SCALE = 32_768;
/** Power of a sine of this amplitude, on the spectrum's scale. */
const powerOf = (levelDb: number) => (FULL_SCALE * 10 ** (levelDb / 20)) ** 2 * 6_144;
const decibels = (power: number) => 10 * Math.log10(power);
/** A quieter tone is ignored. */
const LEAST_DB = -45;
/** Minimum shares of the band's energy of one and of two tones. */
const SINGLE_SHARE_MIN = 0.6;
const DUAL_SHARE_MIN = 0.7;
/** A frequency of the telephone band that no beep has. */
const OTHER_HZ = 3_000;
/** The first and the last bin of the telephone band. */
const BAND_FIRST_HZ = 10 * BIN_HZ;
const BAND_LAST_HZ = 115 * BIN_HZ;
const LEVEL_DB = -20;

type Sine = readonly [hz: number, levelDb: number];

/** The judgement of a window of sines. */
function judged(...sines: readonly Sine[]): Tonality {
  const tonality = new Tonality();
  tonality.judge(
    Int16Array.from({ length: WINDOW_SAMPLES }, (_, at) =>
      Math.round(
        sines.reduce(
          (sum, [hz, db], index) =>
            sum + FULL_SCALE * 10 ** (db / 20) * Math.sin((2 * Math.PI * hz * at) / 8_000 + index),
          0,
        ),
      ),
    ),
  );
  return tonality;
}
/** The level of another sine beside `sines` equal ones that then have this share of the energy. */
const besideShare = (sines: number, share: number) => LEVEL_DB + decibels(sines / share - sines);

describe('one tone', () => {
  it.each([400, 697, 1_000, 1_015.625, 1_230, 1_234, 1_777, 2_100, 2_500, 2_531.25])(
    'has its frequency: %f Hz',
    (hz) => {
      const { tones, firstHz, secondHz } = judged([hz, LEVEL_DB]);
      expect([tones, secondHz]).toEqual([1, 0]);
      expect(Math.abs(firstHz - hz)).toBeLessThan(1);
    },
  );

  it.each([1_000, 1_015.625, 1_010])('has its level, and nothing is left beside it: %f Hz', (hz) => {
    const { levelDb, rest, band } = judged([hz, LEVEL_DB]);
    expect(Math.abs(levelDb - decibels(powerOf(LEVEL_DB)))).toBeLessThan(0.05);
    expect(Math.abs(decibels(band) - decibels(powerOf(LEVEL_DB)))).toBeLessThan(0.05);
    expect(rest / band).toBeLessThan(0.005);
  });

  it('has −45 dBFS', () => {
    expect([judged([1_000, LEAST_DB + 0.3]).tones, judged([1_000, LEAST_DB - 0.3]).tones]).toEqual([1, 0]);
  });

  it('has 60 % of the energy of the band', () => {
    const withShare = (share: number) => judged([1_000, LEVEL_DB], [OTHER_HZ, besideShare(1, share)]);
    expect([withShare(SINGLE_SHARE_MIN + 0.02).tones, withShare(SINGLE_SHARE_MIN - 0.02).tones]).toEqual([1, 0]);
  });

  it('leaves the power of other sounds of the band', () => {
    const otherDb = LEVEL_DB - 6;
    const { levelDb, rest } = judged([1_000, LEVEL_DB], [OTHER_HZ, otherDb]);
    expect(Math.abs(levelDb - decibels(powerOf(LEVEL_DB)))).toBeLessThan(0.05);
    expect(Math.abs(decibels(rest) - decibels(powerOf(otherDb)))).toBeLessThan(0.1);
  });

  it('leaves nothing, though its power is partly below the band', () => {
    const { tones, rest } = judged([344, LEVEL_DB]);
    expect([tones, rest]).toEqual([1, 0]);
  });

  it('of a window before is forgotten', () => {
    const tonality = judged([1_000, LEVEL_DB]);
    tonality.judge(new Int16Array(WINDOW_SAMPLES));
    expect([tonality.tones, tonality.band]).toEqual([0, 0]);
  });
});

describe('two tones', () => {
  it.each<[Sine, Sine]>([
    [
      [1_400, LEVEL_DB],
      [1_000, LEVEL_DB - 1],
    ],
    [
      [697, LEVEL_DB],
      [1_209, LEVEL_DB - 1],
    ],
    [
      [440, LEVEL_DB],
      [2_490, LEVEL_DB - 1],
    ],
    [
      [1_000, LEVEL_DB],
      [1_130, LEVEL_DB - 1],
    ],
  ])('have both frequencies, the stronger one first: %s, %s', (first, second) => {
    const { tones, firstHz, secondHz, levelDb, rest, band } = judged(second, first);
    expect(tones).toBe(2);
    expect(Math.abs(firstHz - first[0])).toBeLessThan(5);
    expect(Math.abs(secondHz - second[0])).toBeLessThan(5);
    expect(Math.abs(levelDb - decibels(powerOf(first[1]) + powerOf(second[1])))).toBeLessThan(0.6);
    expect(rest / band).toBeLessThan(0.01);
  });

  it('have 70 % of the energy of the band', () => {
    const withShare = (share: number) =>
      judged([1_010, LEVEL_DB], [1_510, LEVEL_DB], [OTHER_HZ, besideShare(2, share)]).tones;
    expect([withShare(DUAL_SHARE_MIN + 0.02), withShare(DUAL_SHARE_MIN - 0.02)]).toEqual([2, 0]);
  });

  it('are no three', () => {
    expect(judged([800, LEVEL_DB], [1_300, LEVEL_DB], [1_900, LEVEL_DB]).tones).toBe(0);
  });
});

describe('the power of the band', () => {
  it('is that of 300–3,600 Hz', () => {
    const full = powerOf(LEVEL_DB);
    const share = (hz: number) => judged([hz, LEVEL_DB]).band / full;
    // A sine has two thirds of its power in its own bin and a sixth in either neighbour.
    for (const hz of [BAND_FIRST_HZ, BAND_LAST_HZ]) expect(share(hz)).toBeCloseTo(5 / 6, 2);
    expect(share(BAND_FIRST_HZ - 2 * BIN_HZ)).toBeLessThan(0.01);
    expect(share(BAND_LAST_HZ + 2 * BIN_HZ)).toBeLessThan(0.01);
  });
});
