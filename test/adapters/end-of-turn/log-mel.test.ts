import { describe, expect, it } from 'vitest';
import { Fourier } from '../../../adapters/end-of-turn/fourier.ts';
import { FEATURE_FRAMES, FEATURE_RATE_HZ, logMelFeatures, MEL_BANDS } from '../../../adapters/end-of-turn/log-mel.ts';

/** Band, frame and value for `signal`, computed by the formulas of Whisper's feature extractor in another language. */
const REFERENCE: readonly (readonly [number, number, number])[] = [
  [0, 0, -0.25292],
  [0, 499, 0.75686],
  [0, 501, 0.84686],
  [0, 600, 0.48054],
  [0, 700, 1.34356],
  [1, 0, -0.25292],
  [1, 499, 0.75249],
  [1, 501, 0.88861],
  [1, 600, 0.70682],
  [1, 700, 1.36619],
  [7, 0, -0.25292],
  [7, 499, 0.66671],
  [7, 501, 1.34447],
  [7, 600, 1.33668],
  [7, 700, 1.45107],
  [20, 0, -0.25292],
  [20, 499, 0.40189],
  [20, 501, 0.4002],
  [20, 600, -0.14907],
  [20, 700, 0.53077],
  [40, 0, -0.25292],
  [40, 499, 0.36743],
  [40, 501, 0.36529],
  [40, 600, -0.25292],
  [40, 700, 1.49576],
  [60, 0, -0.25292],
  [60, 499, -0.24114],
  [60, 501, -0.2411],
  [60, 600, -0.25292],
  [60, 700, 0.42937],
  [79, 0, -0.25292],
  [79, 499, -0.04784],
  [79, 501, -0.04784],
  [79, 600, -0.25292],
  [79, 700, 0.49268],
];
const ACCURACY = 1e-4;
const SECONDS = 3;

/** Three tones, one of them rising, with pauses. */
function signal(): Float32Array {
  return Float32Array.from({ length: SECONDS * FEATURE_RATE_HZ }, (_, n) => {
    const t = n / FEATURE_RATE_HZ;
    if (Math.floor(n / 4_000) % 3 === 2) return 0;
    const rising = 0.2 * Math.sin(2 * Math.PI * 1_200 * t * (1 + 0.1 * t));
    return 0.3 * Math.sin(2 * Math.PI * 220 * t) + rising + 0.05 * Math.sin(2 * Math.PI * 5_000 * t);
  });
}

describe('the log-mel features', () => {
  it('equal the reference', () => {
    const features = logMelFeatures(signal());
    expect(features).toHaveLength(MEL_BANDS * FEATURE_FRAMES);
    for (const [band, frame, value] of REFERENCE) {
      expect(Math.abs((features[band * FEATURE_FRAMES + frame] ?? Number.NaN) - value)).toBeLessThan(ACCURACY);
    }
  });

  it('are those of the last 8 s of longer audio', () => {
    const last = Float32Array.from({ length: 8 * FEATURE_RATE_HZ }, (_, n) => Math.sin(n / 7));
    const longer = new Float32Array(10 * FEATURE_RATE_HZ).fill(0.5);
    longer.set(last, 2 * FEATURE_RATE_HZ);
    expect(logMelFeatures(longer)).toEqual(logMelFeatures(last));
  });

  it('of no audio are all equal', () => {
    expect(new Set(logMelFeatures(new Float32Array(0))).size).toBe(1);
  });
});

describe('the Fourier transform', () => {
  it.each([1, 2, 6, 15, 400])('of %i samples equals the sum by definition', (length) => {
    const real = Float64Array.from({ length }, (_, n) => Math.sin(n * 1.3) + n / length);
    const imaginary = Float64Array.from({ length }, (_, n) => Math.cos(n * 0.7));
    const outReal = new Float64Array(length);
    const outImaginary = new Float64Array(length);
    new Fourier(length).transform(real, imaginary, outReal, outImaginary);
    for (const bin of [0, 1, Math.floor(length / 2), length - 1].filter((k) => k < length)) {
      const angle = (n: number) => (-2 * Math.PI * bin * n) / length;
      const sum = (part: (n: number) => number) => Array.from({ length }, (_, n) => part(n)).reduce((a, b) => a + b, 0);
      const re = sum((n) => (real[n] ?? 0) * Math.cos(angle(n)) - (imaginary[n] ?? 0) * Math.sin(angle(n)));
      const im = sum((n) => (real[n] ?? 0) * Math.sin(angle(n)) + (imaginary[n] ?? 0) * Math.cos(angle(n)));
      expect(outReal[bin]).toBeCloseTo(re, 8);
      expect(outImaginary[bin]).toBeCloseTo(im, 8);
    }
  });
});
