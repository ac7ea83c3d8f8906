import { expect, it } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../../base/audio/g711.ts';
import { AudioRelay } from '../../../../sip/media/audio-bridge/audio-relay.ts';

const FRAME = 160;

/** The output of a relay in law `to`, for one packet of `codes` per tick in law `from`. */
function relayed(codes: Uint8Array, from: 'alaw' | 'mulaw', to: 'alaw' | 'mulaw'): Uint8Array {
  const relay = new AudioRelay(8_000, () => {});
  const samples = new Int16Array(FRAME);
  const out = new Uint8Array(codes.length + 10 * FRAME);
  for (let at = 0; at < out.length; at += FRAME) {
    (from === 'alaw' ? decodeAlaw : decodeMulaw)(codes, Math.min(at, codes.length - FRAME), FRAME, samples);
    if (at < codes.length) relay.push(9_000 + at, samples, FRAME);
    relay.fill(samples, 0);
    (to === 'alaw' ? encodeAlaw : encodeMulaw)(samples, 0, FRAME, out, at);
  }
  return out;
}

/** Every code except mu-law's second zero. */
const CODES = Uint8Array.from({ length: 20 * FRAME }, (_, i) => ((i * 37) % 256 === 0x7f ? 0 : (i * 37) % 256));

it.each(['alaw', 'mulaw'] as const)(
  'the relay returns every code unchanged between two sessions of the same law: %s',
  (law) => {
    const out = relayed(CODES, law, law);
    // The first 40 ms are the delay of the jitter buffer.
    expect(out.subarray(2 * FRAME, 2 * FRAME + CODES.length)).toEqual(CODES);
  },
);

it('the relay converts each sample to the nearest value of the other law', () => {
  const out = relayed(CODES, 'mulaw', 'alaw').subarray(2 * FRAME, 2 * FRAME + CODES.length);
  const [before, after] = [new Int16Array(CODES.length), new Int16Array(CODES.length)];
  decodeMulaw(CODES, 0, CODES.length, before);
  decodeAlaw(out, 0, CODES.length, after);
  for (let i = 0; i < CODES.length; i++) {
    const [sample = 0, converted = 0] = [before[i], after[i]];
    expect(Math.abs(converted - sample)).toBeLessThanOrEqual(Math.max(16, Math.abs(sample) / 16));
  }
});

it('the relay passes a DTMF digit on at once', () => {
  const digits: string[] = [];
  new AudioRelay(8_000, (digit) => digits.push(digit)).relayDigit('#');
  expect(digits).toEqual(['#']);
});
