import { describe, expect, it } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../../base/audio/g711.ts';
import { Ducking } from '../../../../sip/media/send/ducking.ts';
import { CODEC_ALAW, CODEC_LINEAR16, CODEC_MULAW } from '../../../../sip/media/worker-channel/audio-frame.ts';

const AMPLITUDE = 8_000;
const RAMP_MS = 20;
const FULL = 10 ** (0 / 20);
const DUCKED = 10 ** (-12 / 20);
/** The coarsest step of G.711 at this level. */
const G711_ERROR = 0.04;

interface Wire {
  readonly name: string;
  readonly codec: number;
  readonly rateHz: number;
  readonly encode: (samples: Int16Array) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => Int16Array;
}

const WIRES: readonly Wire[] = [
  { name: 'mu-law', codec: CODEC_MULAW, rateHz: 8_000, ...g711(encodeMulaw, decodeMulaw) },
  { name: 'A-law', codec: CODEC_ALAW, rateHz: 8_000, ...g711(encodeAlaw, decodeAlaw) },
  {
    name: 'linear16 at 16 kHz',
    codec: CODEC_LINEAR16,
    rateHz: 16_000,
    encode: (samples) => new Uint8Array(samples.slice().buffer),
    decode: (bytes) => new Int16Array(bytes.slice().buffer),
  },
];

function g711(encode: typeof encodeMulaw, decode: typeof decodeMulaw): Pick<Wire, 'encode' | 'decode'> {
  return {
    encode: (samples) => {
      const codes = new Uint8Array(samples.length);
      encode(samples, 0, samples.length, codes);
      return codes;
    },
    decode: (codes) => {
      const samples = new Int16Array(codes.length);
      decode(codes, 0, codes.length, samples);
      return samples;
    },
  };
}

describe.each(WIRES)('ducking of $name', ({ codec, rateHz, encode, decode }) => {
  const samples = (rateHz * RAMP_MS) / 1000;
  /** Gains of 20 ms of a constant, sample by sample. */
  const gains = (ducking: Ducking, isDucked: boolean) => {
    const bytes = encode(new Int16Array(samples).fill(AMPLITUDE));
    const whole = decode(bytes)[0] ?? 1;
    ducking.apply(bytes, 0, samples, codec, rateHz, isDucked);
    return Array.from(decode(bytes), (sample) => sample / whole);
  };

  it('lowers the voice by 12 dB within 20 ms, and restores it as fast', () => {
    const ducking = new Ducking();
    expect(gains(ducking, false).every((gain) => gain === FULL)).toBe(true);
    const down = gains(ducking, true);
    expect(down[0]).toBeCloseTo(FULL, 1);
    expect(down).toEqual(down.toSorted((a, b) => b - a));
    for (const gain of gains(ducking, true)) expect(Math.abs(gain - DUCKED)).toBeLessThan(G711_ERROR);
    const up = gains(ducking, false);
    expect(up).toEqual(up.toSorted((a, b) => a - b));
    expect(gains(ducking, false).every((gain) => gain === FULL)).toBe(true);
  });

  it('turns round in the middle of the ramp without a jump', () => {
    const ducking = new Ducking();
    const bytes = encode(new Int16Array(samples).fill(AMPLITUDE));
    ducking.apply(bytes, 0, samples / 2, codec, rateHz, true);
    const back = gains(ducking, false);
    expect(back[0]).toBeGreaterThan((FULL + DUCKED) / 2 - 0.2);
    expect(back.at(-1)).toBe(FULL);
  });
});
