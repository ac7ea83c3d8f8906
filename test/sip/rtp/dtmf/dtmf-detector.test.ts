import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeMulaw } from '../../../../base/audio/g711.ts';
import { decodeWav } from '../../../../base/audio/wav.ts';
import { mixed, noise, silence, throughMulaw } from '../../../../fixtures/sound/synthesis.ts';
import { DtmfDetector } from '../../../../sip/rtp/dtmf/dtmf-detector.ts';

const ROWS = [697, 770, 852, 941];
const COLUMNS = [1209, 1336, 1477, 1633];
const KEYS = '123A456B789C*0#D';
/** A sine that fills mu-law's scale has 3.17 dBm0 (ITU-T G.711). */
const FULL_SCALE_DBM0 = 3.17;

interface DigitTone {
  readonly durationMs?: number;
  /** Level of the louder frequency. */
  readonly levelDbm0?: number;
  /** How much louder the column is than the row. */
  readonly twistDb?: number;
  /** Relative error of both frequencies. */
  readonly frequencyError?: number;
}

function digitTone(
  key: string,
  { durationMs = 70, levelDbm0 = -10, twistDb = 0, frequencyError = 0 }: DigitTone = {},
): Int16Array {
  const place = KEYS.indexOf(key);
  const amplitude = 32_767 * 10 ** ((levelDbm0 - FULL_SCALE_DBM0) / 20);
  const row = amplitude * 10 ** (Math.min(0, -twistDb) / 20);
  const column = amplitude * 10 ** (Math.min(0, twistDb) / 20);
  const sine = (hz: number, i: number) => Math.sin((2 * Math.PI * hz * (1 + frequencyError) * i) / 8000);
  return Int16Array.from({ length: durationMs * 8 }, (_, i) =>
    Math.round(row * sine(ROWS[place >> 2] ?? 0, i) + column * sine(COLUMNS[place & 3] ?? 0, i)),
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

/** The number of digits that are not detected correctly: of 96, the 16 digits at 6 offsets each. */
function missedDigits(tone: DigitTone, snrDb: number | null = null): number {
  let missed = 0;
  for (const key of KEYS) {
    for (let shift = 0; shift < 102; shift += 17) {
      const clean = joined(new Int16Array(300 + shift), digitTone(key, tone), silence(150));
      const power = 2 * 10 ** (((tone.levelDbm0 ?? -10) - FULL_SCALE_DBM0 - 3) / 10);
      const hissDb = snrDb === null ? null : 10 * Math.log10(power) - snrDb;
      const line = hissDb === null ? clean : mixed(clean, noise(clean.length / 8, hissDb, shift + 1));
      const detected = detect(throughMulaw(line));
      if (detected.length !== 1 || detected[0]?.[0] !== key) missed++;
    }
  }
  return missed;
}

describe('DTMF detector', () => {
  it.each([-3, -10, -20, -24, -28])(
    'detects all 16 digits of 40 ms at %d dBm0, with and without noise 15 dB below',
    (levelDbm0) => {
      expect(missedDigits({ durationMs: 40, levelDbm0 })).toBe(0);
      expect(missedDigits({ durationMs: 40, levelDbm0 }, 15)).toBe(0);
    },
  );

  it.each([4, 2, -4, -8])('detects digits with a twist of %d dB', (twistDb) => {
    expect(missedDigits({ durationMs: 40, twistDb })).toBe(0);
    expect(missedDigits({ twistDb }, 15)).toBeLessThanOrEqual(2);
  });

  it.each([0.015, -0.015])(
    'detects digits with a frequency error of %s, and none with an error of 0.035',
    (frequencyError) => {
      expect(missedDigits({ durationMs: 40, frequencyError })).toBe(0);
      expect(missedDigits({ frequencyError: Math.sign(frequencyError) * 0.035 })).toBe(96);
    },
  );

  it.each([
    ['too short (20 ms)', { durationMs: 20 }],
    ['too soft (−40 dBm0)', { levelDbm0: -40 }],
    ['twisted by 8 dB', { twistDb: 8 }],
    ['twisted by −13 dB', { twistDb: -13 }],
  ] as const)('ignores digits that are %s', (_, tone) => {
    expect(missedDigits(tone)).toBe(96);
  });

  it('reports a digit at its end, with its duration, for packets of any length', () => {
    const line = joined(silence(100), digitTone('5', { durationMs: 200 }), silence(200));
    for (const packet of [80, 160, 240, 77]) {
      const [detected, ...others] = detect(line, packet);
      expect(others).toEqual([]);
      expect(detected?.[0]).toBe('5');
      expect(Math.abs((detected?.[1] ?? 0) - 200)).toBeLessThanOrEqual(13);
    }
    const digits: string[] = [];
    const detector = new DtmfDetector((digit) => digits.push(digit));
    detector.write(line.subarray(0, 2_000), 2_000);
    expect(digits).toEqual([]);
    detector.interrupt();
    expect(digits).toEqual(['5']);
  });

  it('separates digits 40 ms apart, joins a digit with a break of 10 ms, and needs no gap between two digits', () => {
    const digitsIn = (...parts: Int16Array[]) =>
      detect(joined(silence(50), ...parts, silence(200))).map(([digit]) => digit);
    expect(digitsIn(digitTone('7'), silence(45), digitTone('7'))).toEqual(['7', '7']);
    expect(digitsIn(digitTone('7'), silence(10), digitTone('7'))).toEqual(['7']);
    expect(digitsIn(digitTone('1'), digitTone('9'))).toEqual(['1', '9']);
    expect(digitsIn(...[...KEYS].flatMap((key) => [digitTone(key, { durationMs: 50 }), silence(50)]))).toEqual([
      ...KEYS,
    ]);
  });

  it('ignores single frequencies, dial and ringing tones, and noise', () => {
    const dualTone = (low: number, high: number) =>
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
      expect(detect(dualTone(low, high))).toEqual([]);
    }
    expect(detect(noise(20_000, -10, 3))).toEqual([]);
  });

  it('detects no digit in the speech of the fixtures, at three levels', () => {
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
        const detected = detect(samples.map((sample) => sample * gain));
        if (detected.length > 0) found.push(`${name}: ${detected.join(' ')}`);
      }
    }
    expect(seconds).toBeGreaterThan(600);
    expect(found).toEqual([]);
  });
});
