import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeWav, encodeWav, encodeWavHeader } from '../../../base/audio/wav.ts';

const MULAW = { encoding: 'mulaw', sampleRateHz: 8000 } as const;
const PCM = { encoding: 'linear16', sampleRateHz: 8000 } as const;

describe('WAV files', () => {
  it('decode to the encoded samples', () => {
    const encoding = fc.constantFrom('linear16' as const, 'mulaw' as const, 'alaw' as const);
    const rate = fc.constantFrom(8000, 16_000, 24_000, 48_000);
    fc.assert(
      fc.property(
        encoding,
        rate,
        fc.integer({ min: 1, max: 2 }),
        fc.uint8Array({ maxLength: 99 }),
        (enc, hz, channels, raw) => {
          const frame = channels * (enc === 'linear16' ? 2 : 1);
          const data = raw.slice(0, raw.length - (raw.length % frame));
          const wav = { format: { encoding: enc, sampleRateHz: hz }, channels, data };
          const file = encodeWav(wav);
          expect(file.length % 2).toBe(0);
          expect(decodeWav(file)).toEqual(wav);
        },
      ),
    );
  });

  it('have a PCM header of 44 bytes with the length of the data', () => {
    const header = encodeWavHeader(PCM, 2, 4000);
    expect(header).toHaveLength(44);
    expect(new DataView(header.buffer).getUint32(4, true)).toBe(4036);
    expect(new DataView(header.buffer).getUint32(40, true)).toBe(4000);
  });

  it('are read with other chunks before the data, and with sizes beyond the end', () => {
    const plain = encodeWav({ format: MULAW, channels: 1, data: Uint8Array.of(1, 2, 3, 4) });
    const list = Uint8Array.of(...new TextEncoder().encode('LIST'), 3, 0, 0, 0, 9, 9, 9, 0);
    const file = Uint8Array.from([...plain.subarray(0, 38), ...list, ...plain.subarray(38)]);
    expect(decodeWav(file)?.data).toEqual(Uint8Array.of(1, 2, 3, 4));
    expect(decodeWav(file.subarray(0, -1))?.data).toEqual(Uint8Array.of(1, 2, 3));
    file.fill(0xff, file.length - 8, file.length - 4);
    expect(decodeWav(file)?.data).toEqual(Uint8Array.of(1, 2, 3, 4));
  });

  it('contain only whole frames', () => {
    const file = encodeWav({ format: PCM, channels: 2, data: new Uint8Array(8) });
    expect(decodeWav(file.subarray(0, -3))?.data).toHaveLength(4);
  });

  it('are refused without a format, with an unsupported encoding, or in another file format', () => {
    const file = encodeWav({ format: PCM, channels: 1, data: new Uint8Array(8) });
    expect(decodeWav(file.slice(0, 30))).toBeNull();
    expect(decodeWav(new Uint8Array(0))).toBeNull();
    expect(decodeWav(file.slice().fill(0, 0, 4))).toBeNull();
    expect(decodeWav(file.slice().fill(3, 20, 21))).toBeNull();
    expect(decodeWav(file.slice().fill(24, 34, 35))).toBeNull();
    expect(decodeWav(file.slice().fill(0, 22, 24))).toBeNull();
    expect(decodeWav(file.slice().fill(0, 24, 28))).toBeNull();
  });

  it('never cause an exception if bytes are damaged', () => {
    const file = encodeWav({ format: PCM, channels: 1, data: new Uint8Array(20) });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(63), fc.nat(255)), { maxLength: 8 }), fc.nat(64), (spoilt, length) => {
        const bytes = file.slice(0, length);
        for (const [at, value] of spoilt) bytes.fill(value, at, at + 1);
        decodeWav(bytes);
      }),
      { numRuns: 1000 },
    );
  });
});
