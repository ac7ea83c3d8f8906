import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WavStream } from '../../../adapters/audio/wav-stream.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';

const PLAIN: AudioFormat = { encoding: 'linear16', sampleRateHz: 24_000 };
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

/** The output for a stream in pieces of this size. */
function played(bytes: Buffer, size: number) {
  const stream = new WavStream(PLAIN);
  const audio: Uint8Array[] = [];
  let format: AudioFormat | undefined;
  for (let at = 0; at < bytes.length; at += size) {
    const taken = stream.take(bytes.subarray(at, at + size));
    if (taken.type === 'unplayable') return taken;
    if (taken.type === 'audio') {
      audio.push(taken.audio);
      format = taken.format;
    }
  }
  return { format, audio: Buffer.concat(audio) };
}

describe('wav stream', () => {
  test.each([1, 2, 3, 7, 44, 1_000])('removes the header for any chunk size: %i', (size) => {
    expect(played(wav({}), size)).toEqual({ format: { encoding: 'linear16', sampleRateHz: 22_050 }, audio: AUDIO });
    expect(played(AUDIO, size)).toEqual({ format: PLAIN, audio: AUDIO });
  });

  test('skips other chunks, of even and odd length, and plays nothing behind the audio', () => {
    const list = chunk('LIST', Buffer.from('abcde\0'), 5);
    const bytes = Buffer.concat([wav({ before: list }), chunk('LIST', Buffer.from('noise!'))]);
    expect(played(bytes, 13)).toMatchObject({ audio: AUDIO });
  });

  test.each([0, 0x7fff_f000, 0xffff_ffff])('an unknown length does not end the audio: %i', (dataBytes) => {
    expect(played(wav({ dataBytes }), 50)).toMatchObject({ audio: AUDIO });
  });

  test('plays G.711 at 8 kHz unchanged', () => {
    expect(played(wav({ code: 7, bits: 8, rateHz: 8_000 }), 50)).toMatchObject({
      format: { encoding: 'mulaw', sampleRateHz: 8_000 },
    });
    expect(played(wav({ code: 6, bits: 8, rateHz: 8_000 }), 50)).toMatchObject({
      format: { encoding: 'alaw', sampleRateHz: 8_000 },
    });
  });

  test.each([{ channels: 2 }, { code: 3, bits: 32 }, { bits: 8 }, { rateHz: 11_025 }, { rateHz: 0 }])(
    'reports formats that the playout cannot play: %j',
    (parts) => {
      expect(played(wav(parts), 20)).toMatchObject({ type: 'unplayable' });
    },
  );

  test.each([32_000, 44_100])('plays audio at %i Hz too', (rateHz) => {
    expect(played(wav({ rateHz }), 50)).toMatchObject({ format: { encoding: 'linear16', sampleRateHz: rateHz } });
  });

  test.each([
    ['MP3', 'ID3\x04\0\0'],
    ['MP3', '\xff\xfb\x90\xc4'],
    ['MP3', '\xff\xf3\x44\xc4'],
    ['Ogg', 'OggS\0\x02'],
    ['FLAC', 'fLaC\0\0'],
  ])('rejects compressed audio instead of playing it: %s', (why, begin) => {
    const bytes = Buffer.concat([Buffer.from(begin, 'latin1'), AUDIO]);
    for (const size of [1, 3, 1_000]) expect(played(bytes, size)).toEqual({ type: 'unplayable', why });
  });

  test.each([
    ['silence', [0, 0, 0, 0]],
    ['samples of -1', [0xff, 0xff, 0xff, 0xff]],
    ['a sample like a sync, and silence', [0xff, 0xfb, 0, 0]],
    ['a reserved version', [0xff, 0xeb, 0x90, 0]],
    ['a forbidden bit rate', [0xff, 0xfb, 0xf0, 0]],
    ['a reserved sampling rate', [0xff, 0xfb, 0x9c, 0]],
    ['another layer', [0xff, 0xfd, 0x90, 0]],
  ])('plays samples that begin with %s', (_, begin) => {
    const bytes = Buffer.from([...begin, ...AUDIO]);
    expect(played(bytes, 3)).toEqual({ format: PLAIN, audio: bytes });
  });

  test('fails on a header without an end', () => {
    expect(played(Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(8_000, 1)]), 500)).toMatchObject({
      type: 'unplayable',
    });
  });

  test('plays or rejects any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (bytes, size) => {
        const riff = Buffer.concat([Buffer.from('RIFF'), bytes]);
        expect(() => played(riff, size)).not.toThrow();
      }),
    );
  });
});
