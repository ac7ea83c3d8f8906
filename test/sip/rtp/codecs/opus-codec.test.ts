import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOpus, OPUS_SAMPLES_MAX, type OpusCodecs } from '../../../../sip/rtp/codecs/opus-codec.ts';
import { DEFAULT_OPUS_PARAMETERS, readOpusParameters } from '../../../../sip/rtp/codecs/opus-parameters.ts';
import { makeTone, measureTone, rootMeanSquare } from '../../../rtp-peer/tone.ts';

let opus: OpusCodecs;
const FEC = { ...DEFAULT_OPUS_PARAMETERS, fec: true };

beforeAll(() => {
  opus = createOpus();
});

/** One second like speech: a buzz with changing pitch and loudness, which a predictor can follow. */
function buzz(): Int16Array {
  let phase = 0;
  return Int16Array.from({ length: 16_000 }, (_, i) => {
    phase += (2 * Math.PI * (140 + 40 * Math.sin(i / 2500))) / 16_000;
    let sum = 0;
    for (let harmonic = 1; harmonic < 20; harmonic++) sum += Math.sin(harmonic * phase) / harmonic;
    return 4000 * sum * (0.6 + 0.4 * Math.sin(i / 1500));
  });
}

function encodedPackets(samples: Int16Array, parameters = DEFAULT_OPUS_PARAMETERS, frame = 320): Uint8Array[] {
  const encoder = opus.createEncoder(parameters);
  const packets: Uint8Array[] = [];
  for (let at = 0; at + frame <= samples.length; at += frame) {
    const packet = new Uint8Array(640);
    packets.push(packet.slice(0, encoder.encode(samples.subarray(at, at + frame), frame, packet, 0)));
  }
  encoder.free();
  return packets;
}

/** @param isLost packets that are lost. `repair`: they are recovered from the next packet's FEC, otherwise concealed. */
function decoded(coded: readonly Uint8Array[], isLost = (_: number) => false, repair = true): Int16Array {
  const decoder = opus.createDecoder();
  const out = new Int16Array(coded.length * 320);
  const samples = new Int16Array(OPUS_SAMPLES_MAX);
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
  it('carries a tone of 5 kHz, above the narrowband, at about 24 kbit/s', () => {
    const coded = encodedPackets(makeTone(5000, 1000, 4000, 16_000));
    expect(coded).toHaveLength(50);
    const out = decoded(coded).subarray(3200, 12_800);
    expect(measureTone(out, 5000, 16_000).share).toBeGreaterThan(0.9);
    expect(rootMeanSquare(out) / 4000).toBeGreaterThan(0.8);
    const bitrate = encodedPackets(buzz()).reduce((bits, packet) => bits + packet.length * 8, 0);
    expect(bitrate).toBeGreaterThan(12_000);
    expect(bitrate).toBeLessThan(34_000);
  });

  it('recovers lost packets with FEC better than by concealment', () => {
    const coded = encodedPackets(buzz(), FEC);
    const isLost = (i: number) => i > 5 && i % 5 === 2 && i < 49;
    const whole = decoded(coded);
    const error = (samples: Int16Array) => rootMeanSquare(samples.map((sample, i) => sample - (whole[i] ?? 0)));
    const repaired = error(decoded(coded, isLost));
    const concealed = error(decoded(coded, isLost, false));
    expect(repaired).toBeLessThan(concealed / 2);
  });

  it.each([160, 320, 640, 960])('encodes packets of %d samples', (frame) => {
    const coded = encodedPackets(makeTone(440, 500, 4000, 16_000), DEFAULT_OPUS_PARAMETERS, frame);
    const samples = new Int16Array(OPUS_SAMPLES_MAX);
    const decoder = opus.createDecoder();
    for (const packet of coded) expect(decoder.decode(packet, packet.length, samples)).toBe(frame);
  });

  it('sends nothing in a long silence only if the peer requests DTX', () => {
    const silence = new Int16Array(32_000);
    const quiet = encodedPackets(silence, { ...DEFAULT_OPUS_PARAMETERS, dtx: true }).filter(
      ({ length }) => length === 0,
    );
    expect(quiet.length).toBeGreaterThan(50);
    expect(encodedPackets(silence).every(({ length }) => length > 0)).toBe(true);
  });

  it('stays within the bandwidth and the bit rate that the peer requests', () => {
    const high = makeTone(5000, 1000, 4000, 16_000);
    const out = decoded(encodedPackets(high, { ...DEFAULT_OPUS_PARAMETERS, maxPlaybackHz: 8000 })).subarray(3200);
    expect(rootMeanSquare(out)).toBeLessThan(400);
    const lowBitrate = encodedPackets(buzz(), { ...DEFAULT_OPUS_PARAMETERS, maxBitrate: 8000 });
    expect(lowBitrate.reduce((bits, packet) => bits + packet.length * 8, 0)).toBeLessThan(11_000);
  });

  it('survives random bytes, and decodes the next packet', () => {
    const decoder = opus.createDecoder();
    const samples = new Int16Array(OPUS_SAMPLES_MAX);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1600 }), (noise) => {
        const made = decoder.decode(noise, noise.length, samples);
        expect(made).toBeGreaterThanOrEqual(0);
        expect(made).toBeLessThanOrEqual(OPUS_SAMPLES_MAX);
      }),
      { numRuns: 500 },
    );
    const [good = new Uint8Array(0)] = encodedPackets(buzz());
    expect(decoder.decode(good, good.length, samples)).toBe(320);
  });

  it('frees its memory: a thousand streams one after another work', () => {
    for (let i = 0; i < 1000; i++) {
      opus.createDecoder().free();
      opus.createEncoder(FEC).free();
    }
    expect(encodedPackets(buzz())).toHaveLength(50);
  });
});

describe('Opus parameters in SDP', () => {
  it('are parsed as in RFC 7587', () => {
    expect(
      readOpusParameters('maxplaybackrate=16000; useinbandfec=1;usedtx=1; maxaveragebitrate=20000;stereo=0'),
    ).toEqual({
      fec: true,
      dtx: true,
      maxPlaybackHz: 16_000,
      maxBitrate: 20_000,
    });
  });

  it.each(['', ';;=', 'useinbandfec', 'useinbandfec=2', 'maxplaybackrate=1', 'maxaveragebitrate=-5', 'x=y=z'])(
    'have their defaults if missing or malformed: %j',
    (config) => {
      expect(readOpusParameters(config)).toEqual(DEFAULT_OPUS_PARAMETERS);
    },
  );
});
