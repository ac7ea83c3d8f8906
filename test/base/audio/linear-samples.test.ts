import { describe, expect, it } from 'vitest';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import { decodeAlawSample, decodeMulawSample } from '../../../base/audio/g711.ts';
import { linear16Bytes, linearSamples } from '../../../base/audio/linear-samples.ts';
import { decodeWav, encodeWav } from '../../../base/audio/wav.ts';

const WIDEBAND: AudioFormat = { encoding: 'linear16', sampleRateHz: 16_000 };

describe('linear samples', () => {
  it('equal the samples that G.711 decodes, for every code', () => {
    const codes = Uint8Array.from({ length: 256 }, (_, code) => code);
    const format = { sampleRateHz: 8_000 };
    expect([...linearSamples({ ...format, encoding: 'mulaw' }, codes)]).toEqual([...codes].map(decodeMulawSample));
    expect([...linearSamples({ ...format, encoding: 'alaw' }, codes)]).toEqual([...codes].map(decodeAlawSample));
  });

  it('keep their values in a WAV file', () => {
    const samples = Int16Array.of(0, 1, -1, 32_767, -32_768);
    const read = decodeWav(encodeWav({ format: WIDEBAND, channels: 1, data: linear16Bytes(samples) }));
    expect(read?.format).toEqual(WIDEBAND);
    expect([...linearSamples(WIDEBAND, read?.data ?? new Uint8Array())]).toEqual([...samples]);
  });

  it('are read at any byte offset, without an odd byte at the end', () => {
    const bytes = Uint8Array.of(9, 0x34, 0x12, 0xff, 0xff, 7);
    expect([...linearSamples({ encoding: 'linear16', sampleRateHz: 8_000 }, bytes.subarray(1))]).toEqual([0x1234, -1]);
  });
});
