import { describe, expect, it } from 'vitest';
import { G722_SAMPLES_PER_OCTET } from '../../../../sip/rtp/codecs/g722/g722.ts';
import { HalfRate } from '../../../../sip/rtp/codecs/half-rate.ts';
import { RTP_PAYLOAD_BYTES_MAX } from '../../../../sip/rtp/reception/reorder-window.ts';
import { makeTone, rootMeanSquare } from '../../../rtp-peer/tone.ts';

/** A G.722 packet that fills a datagram, after 40 ms that noise suppression has held back. */
const LONGEST_INPUT_SAMPLES = RTP_PAYLOAD_BYTES_MAX * G722_SAMPLES_PER_OCTET + 640;

/** Gain of the filter for a tone, in dB, without the filter's first samples. */
function gainDb(frequencyHz: number): number {
  const tone = makeTone(frequencyHz, 1000, 4000, 16_000);
  const out = new Int16Array(8000);
  expect(new HalfRate().halve(tone.subarray(0, 3000), 0, 3000, out)).toBe(1500);
  return 20 * Math.log10(Math.max(rootMeanSquare(out.subarray(50, 1500)), 0.001) / 4000);
}

describe('half-rate filter', () => {
  it.each([100, 1000, 3000])('passes %d Hz unchanged', (frequencyHz) => {
    expect(Math.abs(gainDb(frequencyHz))).toBeLessThan(0.1);
  });

  it.each([5000, 6000, 7500])('suppresses %d Hz, so that no alias is audible', (frequencyHz) => {
    expect(gainDb(frequencyHz)).toBeLessThan(-50);
  });

  it('has the same output for pieces of any length, even or odd', () => {
    const tone = makeTone(440, 100, 4000, 16_000);
    const whole = new Int16Array(800);
    new HalfRate().halve(tone, 0, tone.length, whole);
    const half = new HalfRate();
    const pieces = new Int16Array(800);
    let made = 0;
    for (let at = 0; at < tone.length; at += 37) {
      made += half.halve(tone, at, Math.min(37, tone.length - at), pieces, made);
    }
    expect(pieces).toEqual(whole);
    expect(made).toBe(800);
  });

  it('halves the longest input at once', () => {
    const tone = makeTone(440, 300, 4000, 16_000).subarray(0, LONGEST_INPUT_SAMPLES);
    const whole = new Int16Array(LONGEST_INPUT_SAMPLES / 2);
    expect(new HalfRate().halve(tone, 0, tone.length, whole)).toBe(whole.length);
    const half = new HalfRate();
    const pieces = new Int16Array(whole.length);
    for (let at = 0; at < tone.length; at += 256) half.halve(tone, at, 256, pieces, at / 2);
    expect(whole).toEqual(pieces);
  });

  it('clips instead of wrapping, and drops the earlier stream at a reset', () => {
    const loud = Int16Array.from({ length: 600 }, (_, i) => (Math.floor(i / 7) % 2 === 0 ? 32_767 : -32_768));
    const out = new Int16Array(300);
    const half = new HalfRate();
    half.halve(loud, 0, 600, out);
    expect(Math.max(...out)).toBe(32_767);
    half.reset();
    half.halve(new Int16Array(600), 0, 600, out);
    expect(new Set(out)).toEqual(new Set([0]));
  });
});
