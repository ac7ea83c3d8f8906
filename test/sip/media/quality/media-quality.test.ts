import { describe, expect, it } from 'vitest';
import { MediaQualityRecorder, QUALITY_WORDS, readQuality } from '../../../../sip/media/quality/media-quality.ts';
import { QualityIntervals } from '../../../../sip/media/quality/quality-intervals.ts';

describe('media quality', () => {
  it('is null before the first packet', () => {
    expect(readQuality(new Int32Array(QUALITY_WORDS))).toBeNull();
  });

  it('sums over all streams of the peer and over all workers', () => {
    const words = new Int32Array(QUALITY_WORDS);
    const first = new MediaQualityRecorder(words);
    first.received(1, 100, 2);
    first.received(1, 200, 10);
    first.received(2, 50, 5);
    first.sent(300);
    first.peer(250, 5, 4);
    const next = new MediaQualityRecorder(words);
    next.received(1, 40, 1);
    next.sent(30);
    next.peer(20, 1, 8);
    next.jitter(3);
    next.roundTrip(80);
    next.roundTrip(120);
    expect(readQuality(words)).toMatchObject({
      roundTripMs: { mean: 100, max: 120 },
      inbound: { packets: 290 - 16, lost: 16, jitterMs: { mean: 3, max: 3 } },
      outbound: { packets: 330, lost: 6, jitterMs: { mean: 6, max: 8 } },
    });
  });

  it('has no loss for our direction without a report of the peer, and never a negative loss', () => {
    const words = new Int32Array(QUALITY_WORDS);
    const quality = new MediaQualityRecorder(words);
    quality.sent(100);
    quality.received(1, 100, -4);
    quality.jitter(0);
    expect(readQuality(words)).toEqual({
      roundTripMs: null,
      inbound: { packets: 100, lost: 0, jitterMs: { mean: 0, max: 0 }, mos: 4.41 },
      outbound: { packets: 100, lost: null, jitterMs: null, mos: null },
    });
  });

  it('has a lower MOS with more loss, jitter or delay', () => {
    const mos = (lost: number, jitterMs: number, roundTripMs: number) => {
      const words = new Int32Array(QUALITY_WORDS);
      const quality = new MediaQualityRecorder(words);
      quality.received(1, 1000, lost);
      quality.jitter(jitterMs);
      quality.roundTrip(roundTripMs);
      return readQuality(words)?.inbound.mos ?? 0;
    };
    expect(mos(0, 0, 0)).toBe(4.41);
    expect(mos(50, 0, 0)).toBeLessThan(4);
    expect(mos(200, 0, 0)).toBeLessThan(2.7);
    expect(mos(0, 0, 800)).toBeLessThan(3.7);
    expect(mos(0, 150, 0)).toBeLessThan(4.1);
  });

  it('of an interval counts what came since the interval before', () => {
    const words = new Int32Array(QUALITY_WORDS);
    const quality = new MediaQualityRecorder(words);
    const intervals = new QualityIntervals(words);
    expect(intervals.next()).toBeNull();
    quality.received(1, 100, 0);
    quality.jitter(2);
    expect(intervals.next()?.inbound).toMatchObject({ packets: 100, lost: 0, jitterMs: { mean: 2, max: 2 } });
    quality.received(1, 200, 25);
    quality.jitter(6);
    quality.roundTrip(80);
    expect(intervals.next()).toMatchObject({
      roundTripMs: { mean: 80 },
      inbound: { packets: 75, lost: 25, jitterMs: { mean: 6 } },
    });
    expect(intervals.next()).toBeNull();
  });
});
