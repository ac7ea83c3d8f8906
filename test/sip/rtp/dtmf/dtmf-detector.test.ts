import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeMulaw } from '../../../../base/audio/g711.ts';
import { decodeWav } from '../../../../base/audio/wav.ts';
import { mixed, noise, silence, throughMulaw } from '../../../../fixtures/answers/synthesis.ts';
import { DtmfDetector } from '../../../../sip/rtp/dtmf/dtmf-detector.ts';

const ROWS = [697, 770, 852, 941];
const COLUMNS = [1209, 1336, 1477, 1633];
const KEYS = '123A456B789C*0#D';
/** A sine that fills mu-law's scale has 3.17 dBm0 (ITU-T G.711). */
const FULL_SCALE_DBM0 = 3.17;

interface Press {
  readonly durationMs?: number;
  /** Of the louder frequency. */
  readonly levelDbm0?: number;
  /** How much louder the column is than the row. */
  readonly twistDb?: number;
  /** How far both frequencies are off, in parts of them. */
  readonly off?: number;
}

function press(key: string, { durationMs = 70, levelDbm0 = -10, twistDb = 0, off = 0 }: Press = {}): Int16Array {
  const place = KEYS.indexOf(key);
  const amplitude = 32_767 * 10 ** ((levelDbm0 - FULL_SCALE_DBM0) / 20);
  const row = amplitude * 10 ** (Math.min(0, -twistDb) / 20);
  const column = amplitude * 10 ** (Math.min(0, twistDb) / 20);
  const turn = (hz: number, i: number) => Math.sin((2 * Math.PI * hz * (1 + off) * i) / 8000);
  return Int16Array.from({ length: durationMs * 8 }, (_, i) =>
    Math.round(row * turn(ROWS[place >> 2] ?? 0, i) + column * turn(COLUMNS[place & 3] ?? 0, i)),
  );
}

function joined(...parts: Int16Array[]): Int16Array {
  return Int16Array.from(parts.flatMap((part) => [...part]));
}

function detect(samples: Int16Array, packet = 160): [string, number][] {
  const found: [string, number][] = [];
  const detector = new DtmfDetector((digit, durationMs) => found.push([digit, durationMs]));
  for (let at = 0; at < samples.length; at += packet) {
    const piece = samples.subarray(at, at + packet);
    detector.write(piece, piece.length);
  }
  detector.interrupt();
  return found;
}

/** How many of the 16 keys, each begun at 6 places, are not heard as they are: of 96. */
function missed(how: Press, snrDb: number | null = null): number {
  let wrong = 0;
  for (const key of KEYS) {
    for (let shift = 0; shift < 102; shift += 17) {
      const clean = joined(new Int16Array(300 + shift), press(key, how), silence(150));
      const power = 2 * 10 ** (((how.levelDbm0 ?? -10) - FULL_SCALE_DBM0 - 3) / 10);
      const hissDb = snrDb === null ? null : 10 * Math.log10(power) - snrDb;
      const line = hissDb === null ? clean : mixed(clean, noise(clean.length / 8, hissDb, shift + 1));
      const heard = detect(throughMulaw(line));
      if (heard.length !== 1 || heard[0]?.[0] !== key) wrong++;
    }
  }
  return wrong;
}

describe('keys as tones in the audio', () => {
  test.each([-3, -10, -20, -24, -28])(
    'are heard, all 16 of 40 ms at %d dBm0, in noise 15 dB below too',
    (levelDbm0) => {
      expect(missed({ durationMs: 40, levelDbm0 })).toBe(0);
      expect(missed({ durationMs: 40, levelDbm0 }, 15)).toBe(0);
    },
  );

  test.each([4, 2, -4, -8])('are heard with a twist of %d dB', (twistDb) => {
    expect(missed({ durationMs: 40, twistDb })).toBe(0);
    expect(missed({ twistDb }, 15)).toBeLessThanOrEqual(2);
  });

  test.each([0.015, -0.015])(
    'are heard where the frequencies are %s off, and are no keys where they are 0.035 off',
    (off) => {
      expect(missed({ durationMs: 40, off })).toBe(0);
      expect(missed({ off: Math.sign(off) * 0.035 })).toBe(96);
    },
  );

  test.each([
    ['too short (20 ms)', { durationMs: 20 }],
    ['too soft (−40 dBm0)', { levelDbm0: -40 }],
    ['twisted by 8 dB', { twistDb: 8 }],
    ['twisted by −13 dB', { twistDb: -13 }],
  ] as const)('are none when %s', (_, how) => {
    expect(missed(how)).toBe(96);
  });

  test('are told with their length, at their end, whatever the packets', () => {
    const line = joined(silence(100), press('5', { durationMs: 200 }), silence(200));
    for (const packet of [80, 160, 240, 77]) {
      const [heard, ...others] = detect(line, packet);
      expect(others).toEqual([]);
      expect(heard?.[0]).toBe('5');
      expect(Math.abs((heard?.[1] ?? 0) - 200)).toBeLessThanOrEqual(13);
    }
    const early: string[] = [];
    const detector = new DtmfDetector((digit) => early.push(digit));
    detector.write(line.subarray(0, 2_000), 2_000);
    expect(early).toEqual([]);
    detector.interrupt();
    expect(early).toEqual(['5']);
  });

  test('are two with 40 ms between them, one with a break of 10 ms in it, and follow one another without a break', () => {
    const keys = (...parts: Int16Array[]) =>
      detect(joined(silence(50), ...parts, silence(200))).map(([digit]) => digit);
    expect(keys(press('7'), silence(45), press('7'))).toEqual(['7', '7']);
    expect(keys(press('7'), silence(10), press('7'))).toEqual(['7']);
    expect(keys(press('1'), press('9'))).toEqual(['1', '9']);
    expect(keys(...[...KEYS].flatMap((key) => [press(key, { durationMs: 50 }), silence(50)]))).toEqual([...KEYS]);
  });

  test('are not heard in one frequency, in dial and ringing tones, nor in noise', () => {
    const two = (low: number, high: number) =>
      Int16Array.from({ length: 4_000 }, (_, i) =>
        Math.round(6_000 * (Math.sin((2 * Math.PI * low * i) / 8000) + Math.sin((2 * Math.PI * high * i) / 8000))),
      );
    for (const [low, high] of [
      [697, 697],
      [1336, 1336],
      [350, 440],
      [440, 480],
      [480, 620],
      [697, 852],
      [1209, 1477],
      [1100, 2100],
    ] as const) {
      expect(detect(two(low, high))).toEqual([]);
    }
    expect(detect(noise(20_000, -10, 3))).toEqual([]);
  });

  test('are not heard in any speech of the fixtures, at any of three levels', () => {
    let seconds = 0;
    const found: string[] = [];
    for (const name of readdirSync('fixtures', { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.wav')) continue;
      const wav = decodeWav(new Uint8Array(readFileSync(`fixtures/${name}`)));
      if (wav?.format.encoding !== 'mulaw' || wav.channels !== 1) continue;
      const samples = new Int16Array(wav.data.length);
      decodeMulaw(wav.data, 0, wav.data.length, samples);
      for (const gain of [1, 0.5, 0.2]) {
        seconds += samples.length / 8000;
        const heard = detect(samples.map((sample) => sample * gain));
        if (heard.length > 0) found.push(`${name}: ${heard.join(' ')}`);
      }
    }
    expect(seconds).toBeGreaterThan(600);
    expect(found).toEqual([]);
  });
});
