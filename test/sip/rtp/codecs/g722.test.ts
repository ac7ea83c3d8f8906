import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { G722Decoder, G722Encoder } from '../../../../sip/rtp/codecs/g722/g722.ts';
import { measureTone, toneOfSamples } from '../../../rtp-peer/tone.ts';

const RATE_HZ = 16_000;
/** Test data of the ITU-T Software Tool Library. Its octets are stored as 16-bit words with swapped bytes. */
const REFERENCE = new URL('../../../../../shared/data/g722/', import.meta.url);

function samplesOf(bytes: Buffer): Int16Array {
  return Int16Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(2 * i));
}

function encoded(samples: Int16Array): Uint8Array {
  const octets = new Uint8Array(samples.length / 2);
  new G722Encoder().encode(samples, 0, samples.length, octets);
  return octets;
}

function decoded(octets: Uint8Array): Int16Array {
  const samples = new Int16Array(octets.length * 2);
  new G722Decoder().decode(octets, 0, octets.length, samples);
  return samples;
}

/** A sawtooth sweep with a pause and full-scale samples. Integer arithmetic only, so that all machines agree. */
function sweep(): Int16Array {
  return Int16Array.from({ length: 32_000 }, (_, i) => {
    if (i > 20_000 && i < 22_000) return 0;
    if (i > 30_000) return i % 37 < 18 ? 32_767 : -32_768;
    return (((i * (1 + (i >> 9))) << 4) % 65_536) - 32_768;
  });
}

function digest(data: Uint8Array | Int16Array): string {
  return createHash('sha256').update(new Uint8Array(data.buffer)).digest('hex').slice(0, 16);
}

describe('G.722 at 64 kbit/s', () => {
  it.skipIf(!existsSync(REFERENCE))("matches ITU-T's reference exactly", () => {
    const octets = readFileSync(new URL('codsp.cod', REFERENCE)).swap16();
    expect(Buffer.from(encoded(samplesOf(readFileSync(new URL('inpsp.bin', REFERENCE))))).equals(octets)).toBe(true);
    expect(decoded(octets)).toEqual(samplesOf(readFileSync(new URL('outsp1.bin', REFERENCE))));
  });

  it('has the output that it had when it was compared with the reference', () => {
    const octets = encoded(sweep());
    expect([digest(octets), digest(decoded(octets))]).toEqual(['15f5ed7eefab5d2f', 'a6a1d0972f709d05']);
  });

  it.each([300, 1_000, 3_000, 5_000, 6_500])('carries a tone of %i Hz', (frequencyHz) => {
    const samples = decoded(encoded(toneOfSamples(frequencyHz, RATE_HZ, RATE_HZ))).subarray(1_600);
    expect(measureTone(samples, frequencyHz, RATE_HZ).share).toBeGreaterThan(0.95);
  });

  it('returns silence for silence', () => {
    expect(Math.max(...decoded(encoded(new Int16Array(3_200))).map(Math.abs))).toBeLessThan(8);
  });

  it('has the same output for packets of any length', () => {
    const samples = sweep().subarray(0, 6_400);
    const whole = encoded(samples);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 40 }), (pairs) => {
        const [encoder, decoder] = [new G722Encoder(), new G722Decoder()];
        const octets = new Uint8Array(samples.length / 2);
        const back = new Int16Array(samples.length);
        let at = 0;
        for (let turn = 0; at < octets.length; turn++) {
          const count = Math.min(pairs[turn % pairs.length] ?? 1, octets.length - at);
          encoder.encode(samples, 2 * at, 2 * count, octets, at);
          decoder.decode(octets, at, count, back, 2 * at);
          at += count;
        }
        expect(octets).toEqual(whole);
        expect(back).toEqual(decoded(whole));
      }),
      { numRuns: 20 },
    );
  });

  it('decodes any octets without an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (octets) => {
        expect(decoded(octets).length).toBe(2 * octets.length);
      }),
    );
  });
});
