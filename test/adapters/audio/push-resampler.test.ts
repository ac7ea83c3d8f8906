import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PushResampler } from '../../../adapters/audio/push-resampler.ts';

const TO_HZ = 24_000;
/** Of the filter, at the rate of the input. */
const LATENCY_SAMPLES = 24;
const AMPLITUDE = 20_000;

function tone(rateHz: number, hz: number, samples: number, lagS = 0): number[] {
  return Array.from({ length: samples }, (_, n) => AMPLITUDE * Math.sin(2 * Math.PI * hz * (n / rateHz - lagS)));
}

/** The output for these pieces. */
function resampled(fromHz: number, pieces: readonly Int16Array[]): number[] {
  const resampler = new PushResampler(fromHz, TO_HZ);
  try {
    return pieces.flatMap((piece) => [...resampler.take(piece)]);
  } finally {
    resampler.free();
  }
}

describe.each([8_000, 16_000])('a resampler from %i Hz', (fromHz) => {
  test.each([200, 1_000, 3_000])('preserves a tone of %i Hz, apart from its latency', (hz) => {
    const taken = resampled(fromHz, [Int16Array.from(tone(fromHz, hz, fromHz / 10))]);
    expect(taken).toHaveLength(TO_HZ / 10);
    const ideal = tone(TO_HZ, hz, taken.length, LATENCY_SAMPLES / fromHz);
    // Behind the beginning, where the filter still holds silence.
    const errors = ideal.map((sample, n) => (n < 200 ? 0 : sample - (taken[n] ?? 0)));
    const rms = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
    // 40 dB below the tone; the uppermost of the telephone band is where the filter begins to fall.
    expect(rms).toBeLessThan((AMPLITUDE / Math.SQRT2) * (hz === 3_000 && fromHz === 8_000 ? 0.05 : 0.01));
  });

  test('gives the same output for any chunk size', () => {
    const samples = Int16Array.from(tone(fromHz, 700, 800), (sample, n) => sample + (n % 7) * 300);
    const whole = resampled(fromHz, [samples]);
    fc.assert(
      fc.property(fc.array(fc.nat(300), { maxLength: 10 }), (lengths) => {
        const pieces: Int16Array[] = [];
        let at = 0;
        for (const length of [...lengths, samples.length]) {
          pieces.push(samples.subarray(at, at + length));
          at += length;
        }
        expect(resampled(fromHz, pieces)).toEqual(whole);
      }),
    );
  });

  test('accepts a chunk longer than its filter buffer', () => {
    const second = Int16Array.from(tone(fromHz, 700, fromHz));
    expect(resampled(fromHz, [second])).toHaveLength(TO_HZ);
  });

  test('clips loud samples instead of wrapping around', () => {
    const square = Int16Array.from({ length: 400 }, (_, n) => (n % 40 < 20 ? 32_767 : -32_768));
    const taken = resampled(fromHz, [square]);
    const middles = taken.filter((_, n) => n > 200).map(Math.abs);
    expect(Math.max(...middles)).toBeGreaterThanOrEqual(32_767);
    const jumps = taken.slice(1).map((sample, n) => Math.abs(sample - (taken[n] ?? 0)));
    expect(Math.max(...jumps)).toBeLessThan(60_000);
  });
});
