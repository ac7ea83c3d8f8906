import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createOpus, OPUS_MAX_SAMPLES, type OpusCodecs } from '../../../../sip/rtp/codecs/opus-codec.ts';
import { DEFAULT_OPUS_PARAMETERS, readOpusParameters } from '../../../../sip/rtp/codecs/opus-parameters.ts';
import { makeTone, measureTone, rootMeanSquare } from '../../../rtp-peer/tone.ts';

let opus: OpusCodecs;
const FEC = { ...DEFAULT_OPUS_PARAMETERS, fec: true };

beforeAll(() => {
  opus = createOpus();
});

/** A second of speech-like sound, a voiced buzz whose pitch and loudness move, so that there is something to predict. */
function buzz(): Int16Array {
  let phase = 0;
  return Int16Array.from({ length: 16_000 }, (_, i) => {
    phase += (2 * Math.PI * (140 + 40 * Math.sin(i / 2500))) / 16_000;
    let sum = 0;
    for (let harmonic = 1; harmonic < 20; harmonic++) sum += Math.sin(harmonic * phase) / harmonic;
    return 4000 * sum * (0.6 + 0.4 * Math.sin(i / 1500));
  });
}

function packets(samples: Int16Array, parameters = DEFAULT_OPUS_PARAMETERS, frame = 320): Uint8Array[] {
  const encoder = opus.createEncoder(parameters);
  const made: Uint8Array[] = [];
  for (let at = 0; at + frame <= samples.length; at += frame) {
    const packet = new Uint8Array(640);
    made.push(packet.slice(0, encoder.encode(samples.subarray(at, at + frame), frame, packet, 0)));
  }
  encoder.free();
  return made;
}

/** @param isLost which packets do not come; `repair` makes up for them from the one behind, or else out of nothing */
function decoded(coded: readonly Uint8Array[], isLost = (_: number) => false, repair = true): Int16Array {
  const decoder = opus.createDecoder();
  const out = new Int16Array(coded.length * 320);
  const samples = new Int16Array(OPUS_MAX_SAMPLES);
  coded.forEach((packet, i) => {
    if (!isLost(i)) expect(decoder.decode(packet, packet.length, samples)).toBe(320);
    else {
      const next = coded[i + 1] ?? new Uint8Array(0);
      expect(decoder.recover(next, repair ? next.length : 0, 320, samples)).toBe(320);
    }
    out.set(samples.subarray(0, 320), i * 320);
  });
  decoder.free();
  return out;
}

describe('Opus', () => {
  test('keeps a tone of 5 kHz, which a telephone of 8 kHz cannot carry, at about 24 kbit/s', () => {
    const coded = packets(makeTone(5000, 1000, 4000, 16_000));
    expect(coded).toHaveLength(50);
    const out = decoded(coded).subarray(3200, 12_800);
    expect(measureTone(out, 5000, 16_000).share).toBeGreaterThan(0.9);
    expect(rootMeanSquare(out) / 4000).toBeGreaterThan(0.8);
    const bitrate = packets(buzz()).reduce((bits, packet) => bits + packet.length * 8, 0);
    expect(bitrate).toBeGreaterThan(12_000);
    expect(bitrate).toBeLessThan(34_000);
  });

  test('brings lost packets back from those behind them better than out of nothing, where the peer takes FEC', () => {
    const coded = packets(buzz(), FEC);
    const isLost = (i: number) => i > 5 && i % 5 === 2 && i < 49;
    const whole = decoded(coded);
    const error = (samples: Int16Array) => rootMeanSquare(samples.map((sample, i) => sample - (whole[i] ?? 0)));
    const repaired = error(decoded(coded, isLost));
    const concealed = error(decoded(coded, isLost, false));
    expect(repaired).toBeLessThan(concealed / 2);
  });

  test.each([160, 320, 640, 960])('makes packets of %d samples', (frame) => {
    const coded = packets(makeTone(440, 500, 4000, 16_000), DEFAULT_OPUS_PARAMETERS, frame);
    const samples = new Int16Array(OPUS_MAX_SAMPLES);
    const decoder = opus.createDecoder();
    for (const packet of coded) expect(decoder.decode(packet, packet.length, samples)).toBe(frame);
  });

  test('sends nothing of a long silence where the peer asks for pauses, and all of it where it does not', () => {
    const silence = new Int16Array(32_000);
    const quiet = packets(silence, { ...DEFAULT_OPUS_PARAMETERS, dtx: true }).filter(({ length }) => length === 0);
    expect(quiet.length).toBeGreaterThan(50);
    expect(packets(silence).every(({ length }) => length > 0)).toBe(true);
  });

  test('keeps within the bandwidth and the bits that the peer names', () => {
    const high = makeTone(5000, 1000, 4000, 16_000);
    const out = decoded(packets(high, { ...DEFAULT_OPUS_PARAMETERS, maxPlaybackHz: 8000 })).subarray(3200);
    expect(rootMeanSquare(out)).toBeLessThan(400);
    const few = packets(buzz(), { ...DEFAULT_OPUS_PARAMETERS, maxBitrate: 8000 });
    expect(few.reduce((bits, packet) => bits + packet.length * 8, 0)).toBeLessThan(11_000);
  });

  test('answers 0 for what is no packet, and goes on', () => {
    const decoder = opus.createDecoder();
    const samples = new Int16Array(OPUS_MAX_SAMPLES);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1600 }), (noise) => {
        const made = decoder.decode(noise, noise.length, samples);
        expect(made).toBeGreaterThanOrEqual(0);
        expect(made).toBeLessThanOrEqual(OPUS_MAX_SAMPLES);
      }),
      { numRuns: 500 },
    );
    const [good = new Uint8Array(0)] = packets(buzz());
    expect(decoder.decode(good, good.length, samples)).toBe(320);
  });

  test('a thousand streams one after another take no more memory than one', () => {
    for (let i = 0; i < 1000; i++) {
      opus.createDecoder().free();
      opus.createEncoder(FEC).free();
    }
    expect(packets(buzz())).toHaveLength(50);
  });
});

describe("a peer's parameters of Opus", () => {
  test('are read as RFC 7587 writes them', () => {
    expect(
      readOpusParameters('maxplaybackrate=16000; useinbandfec=1;usedtx=1; maxaveragebitrate=20000;stereo=0'),
    ).toEqual({
      fec: true,
      dtx: true,
      maxPlaybackHz: 16_000,
      maxBitrate: 20_000,
    });
  });

  test.each(['', ';;=', 'useinbandfec', 'useinbandfec=2', 'maxplaybackrate=1', 'maxaveragebitrate=-5', 'x=y=z'])(
    'that are missing or malformed are as if nothing was said: %j',
    (config) => {
      expect(readOpusParameters(config)).toEqual(DEFAULT_OPUS_PARAMETERS);
    },
  );
});
