import { describe, expect, it } from 'vitest';
import { loadResamplers } from '../../../base/audio/resampler.ts';
import { Upsampler } from '../../../base/audio/upsampler.ts';

const resamplers = await loadResamplers();
const INPUT_HZ = 8_000;
const SECOND_OF_TONE = Int16Array.from({ length: INPUT_HZ }, (_, i) =>
  Math.round(10_000 * Math.sin((2 * Math.PI * 440 * i) / INPUT_HZ)),
);

/** Output of one upsampler for pieces of `pieceSamples`. */
function upsampled(upsampler: Upsampler, pieceSamples: number): number[] {
  const output: number[] = [];
  const into = new Int16Array(2 * pieceSamples);
  for (let at = 0; at < SECOND_OF_TONE.length; at += pieceSamples) {
    const piece = SECOND_OF_TONE.subarray(at, at + pieceSamples);
    output.push(...into.subarray(0, upsampler.upsample(piece, piece.length, into)));
  }
  return output;
}

describe('upsampler', () => {
  it('doubles the samples, except for the delay of the filter at the start', () => {
    const output = upsampled(new Upsampler(resamplers), 160);
    const { latency } = resamplers.create(8_000, 16_000);
    expect(output).toHaveLength(2 * (SECOND_OF_TONE.length - latency));
    const errors = output.filter((_, i) => i % 2 === 0).map((sample, i) => Math.abs(sample - (SECOND_OF_TONE[i] ?? 0)));
    expect(Math.max(...errors.slice(latency))).toBeLessThan(200);
  });

  it.each([80, 320, 1_000])('gives the samples of one stream in pieces of %d samples, too', (pieceSamples) => {
    expect(upsampled(new Upsampler(resamplers), pieceSamples)).toEqual(upsampled(new Upsampler(resamplers), 160));
  });

  it('starts a new stream after it was freed', () => {
    const upsampler = new Upsampler(resamplers);
    const output = upsampled(upsampler, 160);
    upsampler.free();
    expect(upsampled(upsampler, 160)).toEqual(output);
  });
});
