import { describe, expect, it } from 'vitest';
import { Concealment } from '../../../../sip/rtp/jitter-buffer/concealment.ts';

function concealed(concealment: Concealment, length: number): number[] {
  const into = new Int16Array(length + 2).fill(99);
  concealment.conceal(into, 1, length);
  expect([into[0], into[length + 1]]).toEqual([99, 99]);
  return Array.from(into.subarray(1, length + 1));
}

describe('concealment', () => {
  it('is silence without earlier audio', () => {
    expect(concealed(new Concealment(), 160).every((sample) => sample === 0)).toBe(true);
  });

  it('repeats the last 20 ms, fades out sample by sample, and is silent after 60 ms', () => {
    const concealment = new Concealment();
    const audio = Int16Array.from({ length: 400 }, (_, i) => i * 50);
    concealment.remember(audio, 0, 400);
    const gap = concealed(concealment, 600);
    const expected = Array.from({ length: 480 }, (_, i) =>
      Math.trunc(((audio[240 + (i % 160)] ?? 0) * (480 - i)) / 480),
    );
    expect(gap.slice(0, 480)).toEqual(expected);
    expect(gap.slice(480).every((sample) => sample === 0)).toBe(true);
  });

  it('continues fading over several losses in a row, and restarts after real audio', () => {
    const concealment = new Concealment();
    const loud = new Int16Array(160).fill(10_000);
    concealment.remember(loud, 0, 160);
    concealed(concealment, 160);
    expect(concealed(concealment, 160)[0]).toBe(6666);
    concealment.remember(loud, 0, 160);
    expect(concealed(concealment, 160)[0]).toBe(10_000);
  });
});
