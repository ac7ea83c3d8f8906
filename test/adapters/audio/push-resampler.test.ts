import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PushResampler } from '../../../adapters/audio/push-resampler.ts';

const TO_HZ = 24_000;
/** Delay of the filter, in input samples. */
const LATENCY_SAMPLES = 24;
const AMPLITUDE = 20_000;

function tone(rateHz: number, hz: number, samples: number, lagS = 0): number[] {
  return Array.from({ length: samples }, (_, n) => AMPLITUDE * Math.sin(2 * Math.PI * hz * (n / rateHz - lagS)));
}

/** The output for the input `chunks`, joined. */
function resample(fromHz: number, chunks: readonly Int16Array[]): number[] {
  const resampler = new PushResampler(fromHz, TO_HZ);
  try {
    return chunks.flatMap((chunk) => [...resampler.take(chunk)]);
  } finally {
    resampler.free();
  }
}

describe.each([8_000, 16_000])('a resampler from %i Hz', (fromHz) => {
  it.each([200, 1_000, 3_000])('preserves a tone of %i Hz, apart from its latency', (hz) => {
    const output = resample(fromHz, [Int16Array.from(tone(fromHz, hz, fromHz / 10))]);
    expect(output).toHaveLength(TO_HZ / 10);
    const expected = tone(TO_HZ, hz, output.length, LATENCY_SAMPLES / fromHz);
    // The first 200 samples are ignored: the filter still contains silence.
    const errors = expected.map((sample, n) => (n < 200 ? 0 : sample - (output[n] ?? 0)));
    const rms = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
    // 40 dB below the tone. The filter attenuates the top of the telephone band, 3 kHz of 8 kHz, a little more.
    expect(rms).toBeLessThan((AMPLITUDE / Math.SQRT2) * (hz === 3_000 && fromHz === 8_000 ? 0.05 : 0.01));
  });

  it('gives the same output for any chunk size', () => {
    const samples = Int16Array.from(tone(fromHz, 700, 800), (sample, n) => sample + (n % 7) * 300);
    const whole = resample(fromHz, [samples]);
    fc.assert(
      fc.property(fc.array(fc.nat(300), { maxLength: 10 }), (lengths) => {
        const chunks: Int16Array[] = [];
        let at = 0;
        for (const length of [...lengths, samples.length]) {
          chunks.push(samples.subarray(at, at + length));
          at += length;
        }
        expect(resample(fromHz, chunks)).toEqual(whole);
      }),
    );
  });

  it('accepts a chunk longer than its filter buffer', () => {
    const second = Int16Array.from(tone(fromHz, 700, fromHz));
    expect(resample(fromHz, [second])).toHaveLength(TO_HZ);
  });

  it('clips loud samples instead of wrapping around', () => {
    const square = Int16Array.from({ length: 400 }, (_, n) => (n % 40 < 20 ? 32_767 : -32_768));
    const output = resample(fromHz, [square]);
    const middles = output.filter((_, n) => n > 200).map(Math.abs);
    expect(Math.max(...middles)).toBeGreaterThanOrEqual(32_767);
    const jumps = output.slice(1).map((sample, n) => Math.abs(sample - (output[n] ?? 0)));
    expect(Math.max(...jumps)).toBeLessThan(60_000);
  });
});
