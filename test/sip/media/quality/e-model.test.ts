import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meanOpinionScore, transmissionRating } from '../../../../sip/media/quality/e-model.ts';

describe('G.107 transmission rating', () => {
  it('is 93.2, a mean opinion score of 4.41, without loss and delay', () => {
    expect(transmissionRating({ lossShare: 0, delayMs: 0 })).toBeCloseTo(93.2, 6);
    expect(meanOpinionScore(93.2)).toBeCloseTo(4.41, 2);
  });

  it('falls by the values of G.113 for G.711 with concealment: 3.6 at 1 % loss, 15.8 at 5 %, 42.1 at 20 %', () => {
    expect(93.2 - transmissionRating({ lossShare: 0.01, delayMs: 0 })).toBeCloseTo(95 / 26.1, 6);
    expect(93.2 - transmissionRating({ lossShare: 0.05, delayMs: 0 })).toBeCloseTo(475 / 30.1, 6);
    expect(93.2 - transmissionRating({ lossShare: 0.2, delayMs: 0 })).toBeCloseTo(1900 / 45.1, 6);
  });

  it('does not fall at a delay of 100 ms, and falls by about 24 at 400 ms', () => {
    expect(transmissionRating({ lossShare: 0, delayMs: 100 })).toBeCloseTo(93.2, 6);
    expect(93.2 - transmissionRating({ lossShare: 0, delayMs: 400 })).toBeCloseTo(24.07, 1);
  });

  it('maps to the scores of Annex B, and both stay within their scales', () => {
    expect([90, 80, 70, 60, 50].map((rating) => Math.round(meanOpinionScore(rating) * 100) / 100)).toEqual([
      4.34, 4.02, 3.6, 3.1, 2.58,
    ]);
    const any = fc.double({ min: -1, max: 2, noNaN: true });
    fc.assert(
      fc.property(any, fc.double({ min: 0, max: 1e5, noNaN: true }), (lossShare, delayMs) => {
        const rating = transmissionRating({ lossShare, delayMs });
        expect(rating).toBeGreaterThanOrEqual(0);
        expect(rating).toBeLessThanOrEqual(100);
        expect(meanOpinionScore(rating)).toBeGreaterThanOrEqual(1);
        expect(meanOpinionScore(rating)).toBeLessThanOrEqual(4.5);
      }),
    );
  });
});
