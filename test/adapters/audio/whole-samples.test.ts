import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WholeSamples } from '../../../adapters/audio/whole-samples.ts';

const chunksOfBytes = fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 20 });

it('emits 16-bit audio in whole samples, every byte in order, for any chunk size', () => {
  fc.assert(
    fc.property(chunksOfBytes, (chunks) => {
      const samples = new WholeSamples({ encoding: 'linear16', sampleRateHz: 16_000 });
      const output = chunks.map((chunk) => samples.take(chunk));
      expect(output.every((chunk) => chunk.length % 2 === 0)).toBe(true);
      const input = Buffer.concat(chunks);
      expect(Buffer.concat(output)).toEqual(input.subarray(0, input.length - (input.length % 2)));
    }),
  );
});

it('passes G.711 through unchanged', () => {
  const samples = new WholeSamples({ encoding: 'mulaw', sampleRateHz: 8_000 });
  const chunk = Uint8Array.of(1, 2, 3);
  expect(samples.take(chunk)).toBe(chunk);
});

it('drops the half sample at the end of a segment', () => {
  const samples = new WholeSamples({ encoding: 'linear16', sampleRateHz: 8_000 });
  samples.take(Uint8Array.of(1, 2, 3));
  samples.reset();
  expect([...samples.take(Uint8Array.of(4, 5))]).toEqual([4, 5]);
});
