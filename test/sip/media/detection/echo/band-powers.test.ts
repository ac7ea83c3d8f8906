import { describe, expect, it } from 'vitest';
import { tone } from '../../../../../fixtures/sound/synthesis.ts';
import { BANDS, BandPowers, FRAME_SAMPLES } from '../../../../../sip/media/detection/echo/band-powers.ts';

const AMPLITUDE = 1_000;

function powersOf(samples: Int16Array): readonly number[] {
  const powers = new Float64Array(BANDS);
  new BandPowers().measure(samples, powers, 0);
  return [...powers];
}
/** A square wave that changes its sign after this many samples. */
const square = (samples: number) =>
  Int16Array.from({ length: FRAME_SAMPLES }, (_, at) => (Math.floor(at / samples) % 2 === 0 ? AMPLITUDE : -AMPLITUDE));

describe('the powers of the octaves', () => {
  it.each([
    [1, 0],
    [2, 1],
    [4, 2],
    [8, 3],
  ])('are the mean square of a wave in its own band: %i samples, band %i', (samples, band) => {
    const powers = powersOf(square(samples));
    for (const [at, power] of powers.entries()) expect(power).toBeCloseTo(at === band ? AMPLITUDE ** 2 : 0, 6);
  });

  it('leave out hum and constant levels', () => {
    expect(powersOf(new Int16Array(FRAME_SAMPLES).fill(AMPLITUDE))).toEqual([0, 0, 0, 0]);
    expect(powersOf(square(16)).every((power) => power === 0)).toBe(true);
  });

  it('are highest in the octave of a tone', () => {
    const highest = [3_000, 1_500, 750, 375].map((hz) => {
      const powers = powersOf(tone([hz], 20));
      return powers.indexOf(Math.max(...powers));
    });
    expect(highest).toEqual([0, 1, 2, 3]);
  });

  it('are written from the given place on, and nothing else', () => {
    const powers = new Float64Array(3 * BANDS).fill(-1);
    new BandPowers().measure(square(1), powers, BANDS);
    const others = new Array(BANDS).fill(-1);
    expect([...powers]).toEqual([...others, AMPLITUDE ** 2, 0, 0, 0, ...others]);
  });

  it('are those of the first samples of a longer array', () => {
    const longer = new Int16Array(3 * FRAME_SAMPLES).fill(AMPLITUDE);
    longer.set(square(1));
    expect(powersOf(longer)).toEqual([AMPLITUDE ** 2, 0, 0, 0]);
  });
});
