import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WavStream } from '../../../adapters/audio/wav-stream.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';

const RAW_FORMAT: AudioFormat = { encoding: 'linear16', sampleRateHz: 24_000 };
const AUDIO = Buffer.from(Array.from({ length: 200 }, (_, n) => n));

interface WavParts {
  readonly code?: number;
  readonly channels?: number;
  readonly rateHz?: number;
  readonly bits?: number;
  readonly before?: Buffer;
  readonly dataBytes?: number;
}

function chunk(id: string, body: Buffer, length = body.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 'latin1');
  head.writeUInt32LE(length, 4);
  return Buffer.concat([head, body]);
}

function wav(
  { code = 1, channels = 1, rateHz = 22_050, bits = 16, before, dataBytes }: WavParts,
  audio = AUDIO,
): Buffer {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(code, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rateHz, 4);
  format.writeUInt16LE(bits, 14);
  const body = [Buffer.from('WAVE'), chunk('fmt ', format), before ?? Buffer.alloc(0), chunk('data', audio, dataBytes)];
  return chunk('RIFF', Buffer.concat(body), 0x7fff_ffff);
}

/** The output for a stream in chunks of `size` bytes. */
function play(bytes: Buffer, size: number) {
  const stream = new WavStream(RAW_FORMAT);
  const audio: Uint8Array[] = [];
  let format: AudioFormat | undefined;
  for (let at = 0; at < bytes.length; at += size) {
    const result = stream.take(bytes.subarray(at, at + size));
    if (result.type === 'unplayable') return result;
    if (result.type === 'audio') {
      audio.push(result.audio);
      format = result.format;
    }
  }
  return { format, audio: Buffer.concat(audio) };
}

describe('wav stream', () => {
  it.each([1, 2, 3, 7, 44, 1_000])('removes the header for any chunk size: %i', (size) => {
    expect(play(wav({}), size)).toEqual({ format: { encoding: 'linear16', sampleRateHz: 22_050 }, audio: AUDIO });
    expect(play(AUDIO, size)).toEqual({ format: RAW_FORMAT, audio: AUDIO });
  });

  it('skips other chunks, of even and odd length, and plays nothing after the audio', () => {
    const list = chunk('LIST', Buffer.from('abcde\0'), 5);
    const bytes = Buffer.concat([wav({ before: list }), chunk('LIST', Buffer.from('noise!'))]);
    expect(play(bytes, 13)).toMatchObject({ audio: AUDIO });
  });

  it.each([0, 0x7fff_f000, 0xffff_ffff])('an unknown length does not end the audio: %i', (dataBytes) => {
    expect(play(wav({ dataBytes }), 50)).toMatchObject({ audio: AUDIO });
  });

  it('plays G.711 at 8 kHz unchanged', () => {
    expect(play(wav({ code: 7, bits: 8, rateHz: 8_000 }), 50)).toMatchObject({
      format: { encoding: 'mulaw', sampleRateHz: 8_000 },
    });
    expect(play(wav({ code: 6, bits: 8, rateHz: 8_000 }), 50)).toMatchObject({
      format: { encoding: 'alaw', sampleRateHz: 8_000 },
    });
  });

  it.each([{ channels: 2 }, { code: 3, bits: 32 }, { bits: 8 }, { rateHz: 11_025 }, { rateHz: 0 }])(
    'reports formats that the playout cannot play: %j',
    (parts) => {
      expect(play(wav(parts), 20)).toMatchObject({ type: 'unplayable' });
    },
  );

  it.each([32_000, 44_100])('plays audio at %i Hz too', (rateHz) => {
    expect(play(wav({ rateHz }), 50)).toMatchObject({ format: { encoding: 'linear16', sampleRateHz: rateHz } });
  });

  it.each([
    ['MP3', 'ID3\x04\0\0'],
    ['MP3', '\xff\xfb\x90\xc4'],
    ['MP3', '\xff\xf3\x44\xc4'],
    ['Ogg', 'OggS\0\x02'],
    ['FLAC', 'fLaC\0\0'],
  ])('rejects compressed audio instead of playing it: %s', (why, begin) => {
    const bytes = Buffer.concat([Buffer.from(begin, 'latin1'), AUDIO]);
    for (const size of [1, 3, 1_000]) expect(play(bytes, size)).toEqual({ type: 'unplayable', why });
  });

  it.each([
    ['silence', [0, 0, 0, 0]],
    ['samples of -1', [0xff, 0xff, 0xff, 0xff]],
    ['a sample that looks like an MP3 sync word, then silence', [0xff, 0xfb, 0, 0]],
    ['a reserved version', [0xff, 0xeb, 0x90, 0]],
    ['a forbidden bit rate', [0xff, 0xfb, 0xf0, 0]],
    ['a reserved sampling rate', [0xff, 0xfb, 0x9c, 0]],
    ['another layer', [0xff, 0xfd, 0x90, 0]],
  ])('plays samples that begin with %s', (_, begin) => {
    const bytes = Buffer.from([...begin, ...AUDIO]);
    expect(play(bytes, 3)).toEqual({ format: RAW_FORMAT, audio: bytes });
  });

  it('fails on a header without an end', () => {
    expect(play(Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(8_000, 1)]), 500)).toMatchObject({
      type: 'unplayable',
    });
  });

  it('plays or rejects any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (bytes, size) => {
        const riff = Buffer.concat([Buffer.from('RIFF'), bytes]);
        expect(() => play(riff, size)).not.toThrow();
      }),
    );
  });
});
