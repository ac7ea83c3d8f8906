import { describe, expect, it } from 'vitest';
import * as g711 from '../../../base/audio/g711.ts';

/**
 * The laws as ITU-T G.711 defines them: tables 1 and 2 give, by segment, decision values and the value of each code.
 * Built here from the tables' structure alone (first value, step width, sixteen steps a segment) and searched linearly.
 */
function mulawLevels(): { decision: number; value: number }[] {
  const levels = [{ decision: 0, value: 0 }];
  let decision = 1;
  for (let segment = 0; segment < 8; segment++) {
    const step = 2 << segment;
    for (let i = segment === 0 ? 1 : 0; i < 16; i++) {
      levels.push({ decision, value: decision + step / 2 });
      decision += step;
    }
  }
  return levels;
}

function alawLevels(): { decision: number; value: number }[] {
  const levels = [];
  let decision = 0;
  for (let segment = 0; segment < 8; segment++) {
    const step = 2 << Math.max(segment - 1, 0);
    for (let i = 0; i < 16; i++) {
      levels.push({ decision, value: decision + step / 2 });
      decision += step;
    }
  }
  return levels;
}

function indexOf(levels: { decision: number }[], magnitude: number): number {
  let found = 0;
  levels.forEach(({ decision }, index) => {
    if (magnitude >= decision) found = index;
  });
  return found;
}

describe('mu-law', () => {
  const levels = mulawLevels();

  it('has the 128 levels of the recommendation, up to 8031', () => {
    expect(levels).toHaveLength(128);
    expect(levels.at(-1)).toEqual({ decision: 7903, value: 8031 });
  });

  it('decodes all 256 codes to the values of the recommendation', () => {
    for (let code = 0; code < 256; code++) {
      const value = levels[~code & 0x7f]?.value ?? Number.NaN;
      expect(g711.decodeMulawSample(code)).toBe((code & 0x80 ? value : 0 - value) * 4 + 0);
    }
  });

  it('encodes all 65,536 samples by the decision values of the recommendation', () => {
    for (let sample = -32768; sample < 32768; sample++) {
      const magnitude = (sample < 0 ? ~sample : sample) >> 2;
      const expected = ~(indexOf(levels, magnitude) | (sample < 0 ? 0x80 : 0)) & 0xff;
      if (g711.encodeMulawSample(sample) !== expected) expect([sample, g711.encodeMulawSample(sample)]).toBe(expected);
    }
  });

  it('encodes every decoded code to itself, negative zero to positive zero', () => {
    for (let code = 0; code < 256; code++) {
      expect(g711.encodeMulawSample(g711.decodeMulawSample(code))).toBe(code === 0x7f ? 0xff : code);
    }
  });
});

describe('A-law', () => {
  const levels = alawLevels();

  it('has the 128 levels of the recommendation, up to 4032', () => {
    expect(levels).toHaveLength(128);
    expect(levels.at(-1)).toEqual({ decision: 3968, value: 4032 });
  });

  it('decodes all 256 codes to the values of the recommendation', () => {
    for (let code = 0; code < 256; code++) {
      const value = levels[(code ^ 0x55) & 0x7f]?.value ?? Number.NaN;
      expect(g711.decodeAlawSample(code)).toBe((code & 0x80 ? value : -value) * 8);
    }
  });

  it('encodes all 65,536 samples by the decision values of the recommendation', () => {
    for (let sample = -32768; sample < 32768; sample++) {
      const magnitude = (sample < 0 ? ~sample : sample) >> 3;
      const expected = (indexOf(levels, magnitude) | (sample < 0 ? 0 : 0x80)) ^ 0x55;
      if (g711.encodeAlawSample(sample) !== expected) expect([sample, g711.encodeAlawSample(sample)]).toBe(expected);
    }
  });

  it('encodes every decoded code to itself', () => {
    for (let code = 0; code < 256; code++) {
      expect(g711.encodeAlawSample(g711.decodeAlawSample(code))).toBe(code);
    }
  });
});

describe('mu-law and A-law', () => {
  it('never lose the sign and never err by more than half a step', () => {
    for (let sample = -32768; sample < 32768; sample++) {
      const clipped = Math.max(-32635, Math.min(32635, sample));
      const bound = Math.max(16, Math.abs(clipped) / 16);
      const mulaw = g711.decodeMulawSample(g711.encodeMulawSample(sample));
      const alaw = g711.decodeAlawSample(g711.encodeAlawSample(sample));
      if (Math.abs(mulaw - clipped) > bound || mulaw * sample < 0) expect([sample, mulaw]).toBe('near');
      if (Math.abs(alaw - clipped) > bound || alaw * sample < 0) expect([sample, alaw]).toBe('near');
    }
  });

  it('convert frames like single samples, only within the given bounds', () => {
    const codes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const linear = new Int16Array(260).fill(7);
    g711.decodeMulaw(codes, 0, 256, linear, 2);
    expect([linear[1], linear[258]]).toEqual([7, 7]);
    expect(Array.from(linear.subarray(2, 258))).toEqual(Array.from(codes, (c) => g711.decodeMulawSample(c)));
    const back = new Uint8Array(260).fill(7);
    g711.encodeMulaw(linear, 2, 256, back, 2);
    expect(Array.from(back.subarray(2, 258))).toEqual(Array.from(codes, (c) => (c === 0x7f ? 0xff : c)));
    g711.decodeAlaw(codes, 0, 256, linear, 2);
    g711.encodeAlaw(linear, 2, 256, back, 2);
    expect(Array.from(back.subarray(2, 258))).toEqual(Array.from(codes));
    expect([back[1], back[258]]).toEqual([7, 7]);
  });

  it('transcode directly with the same result as through samples', () => {
    const codes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const into = new Uint8Array(256);
    g711.transcodeMulawToAlaw(codes, 0, 256, into, 0);
    expect(Array.from(into)).toEqual(Array.from(codes, (c) => g711.encodeAlawSample(g711.decodeMulawSample(c))));
    g711.transcodeAlawToMulaw(codes, 0, 256, into, 0);
    expect(Array.from(into)).toEqual(Array.from(codes, (c) => g711.encodeMulawSample(g711.decodeAlawSample(c))));
  });

  it('export the codes of silence', () => {
    expect(g711.encodeMulawSample(0)).toBe(g711.MULAW_SILENCE);
    expect(g711.encodeAlawSample(0)).toBe(g711.ALAW_SILENCE);
  });
});
