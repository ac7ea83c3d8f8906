import { beforeAll, describe, expect, test } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../../base/audio/g711.ts';
import { G722Decoder, G722Encoder } from '../../../../sip/rtp/codecs/g722/g722.ts';
import { createOpus, OPUS_MAX_SAMPLES, type OpusCodecs } from '../../../../sip/rtp/codecs/opus-codec.ts';
import { DEFAULT_OPUS_PARAMETERS } from '../../../../sip/rtp/codecs/opus-parameters.ts';
import type { RtpParameters } from '../../../../sip/rtp/rtp-parameters.ts';
import type { RtpPeer } from '../../../rtp-peer/rtp-peer.ts';
import { allOnce, type RtpSpeech, speak } from '../../../rtp-peer/rtp-speech.ts';
import { makeTone, measureTone } from '../../../rtp-peer/tone.ts';
import { mediaHarness, openLeg } from '../media-harness.ts';

const { startMediaService, peer } = mediaHarness(33_000);
/** Above what a telephone of 8 kHz can carry: where it arrives, nothing between the two was narrow. */
const WIDE_HZ = 5_000;
const NEAR_HZ = 700;
const FAR_HZ = 1_100;
const STRETCH_MS = 100;
/** Stretches that must be heard. */
const STRETCHES = 3;
const TONE_MS = 1_000;
const FRAME_MS = 20;

let opus: OpusCodecs;
beforeAll(() => {
  opus = createOpus();
});

/** How a peer speaks and hears one codec: packets of 20 ms of samples at `rateHz`. */
interface Wire {
  readonly session: Partial<RtpParameters>;
  readonly payloadType: number;
  readonly rateHz: 8_000 | 16_000;
  /** RTP time of a packet. */
  readonly units: number;
  encoder(): (samples: Int16Array) => Uint8Array;
  decode(payloads: readonly Uint8Array[]): Int16Array;
}

function g711(codec: 'pcmu' | 'pcma'): Wire {
  const payloadType = codec === 'pcmu' ? 0 : 8;
  const [encode, decode] = codec === 'pcmu' ? [encodeMulaw, decodeMulaw] : [encodeAlaw, decodeAlaw];
  return {
    session: { codec, payloadType },
    payloadType,
    rateHz: 8_000,
    units: 160,
    encoder: () => (samples) => {
      const codes = new Uint8Array(samples.length);
      encode(samples, 0, samples.length, codes);
      return codes;
    },
    decode: (payloads) => {
      const codes = Uint8Array.from(Buffer.concat([...payloads]));
      const samples = new Int16Array(codes.length);
      decode(codes, 0, codes.length, samples);
      return samples;
    },
  };
}

const G722: Wire = {
  session: { codec: 'g722', payloadType: 9 },
  payloadType: 9,
  rateHz: 16_000,
  units: 160,
  encoder: () => {
    const encoder = new G722Encoder();
    return (samples) => {
      const codes = new Uint8Array(samples.length / 2);
      encoder.encode(samples, 0, samples.length, codes);
      return codes;
    };
  },
  decode: (payloads) => {
    const codes = Uint8Array.from(Buffer.concat([...payloads]));
    const samples = new Int16Array(codes.length * 2);
    new G722Decoder().decode(codes, 0, codes.length, samples);
    return samples;
  },
};

const OPUS: Wire = {
  session: { codec: 'opus', payloadType: 107, dtmfClockHz: 48_000, opus: DEFAULT_OPUS_PARAMETERS },
  payloadType: 107,
  rateHz: 16_000,
  units: 960,
  encoder: () => {
    const encoder = opus.createEncoder(DEFAULT_OPUS_PARAMETERS);
    return (samples) => {
      const packet = new Uint8Array(640);
      return packet.slice(0, encoder.encode(samples, samples.length, packet, 0));
    };
  },
  decode: (payloads) => {
    const decoder = opus.createDecoder();
    const samples = new Int16Array(OPUS_MAX_SAMPLES);
    const parts = payloads.map((one) => samples.slice(0, decoder.decode(one, one.length, samples)));
    return Int16Array.from(parts.flatMap((part) => [...part]));
  },
};

/** A second of the tone, over and over. */
function tone(to: number, { encoder, payloadType, rateHz, units }: Wire, hz: number): RtpSpeech {
  const samples = makeTone(hz, TONE_MS, 4_000, rateHz);
  const encode = encoder();
  const length = (rateHz / 1_000) * FRAME_MS;
  const frame = (index: number) => {
    const at = (index * length) % samples.length;
    return encode(samples.subarray(at, at + length));
  };
  return { to, payloadType, units, frame };
}

/** How many stretches of what was heard are that tone and hardly anything else. */
function stretches(at: RtpPeer, wire: Wire, hz: number): number {
  const payloads = at.packets.filter(({ payloadType }) => payloadType === wire.payloadType);
  const heard = wire.decode(payloads.map(({ payload }) => payload));
  const length = (wire.rateHz / 1_000) * STRETCH_MS;
  let count = 0;
  for (let from = 0; from + length <= heard.length; from += length) {
    const { level, share } = measureTone(heard.subarray(from, from + length), hz, wire.rateHz);
    if (share > 0.9 && level > 1_000) count++;
  }
  return count;
}

describe('a bridge', () => {
  test.each([
    { name: 'Opus and G.722', near: OPUS, far: G722, nearHz: WIDE_HZ, farHz: WIDE_HZ - 1_000 },
    { name: 'Opus and G.711 mu-law', near: OPUS, far: g711('pcmu'), nearHz: NEAR_HZ, farHz: FAR_HZ },
    { name: 'G.711 A-law and Opus', near: g711('pcma'), far: OPUS, nearHz: NEAR_HZ, farHz: FAR_HZ },
    { name: 'G.722 and G.711 A-law', near: G722, far: g711('pcma'), nearHz: NEAR_HZ, farHz: FAR_HZ },
  ])('of $name: each hears the other’s tone and not its own', async ({ near, far, nearHz, farHz }) => {
    const mediaService = startMediaService();
    const [caller, desk] = await Promise.all([peer(), peer()]);
    const { leg: callersLeg } = await openLeg(mediaService);
    const { leg: desksLeg } = await openLeg(mediaService, { beside: callersLeg });
    callersLeg.configure(caller.session(near.session));
    desksLeg.configure(desk.session(far.session));
    callersLeg.setPlaybackSource(desksLeg);
    desksLeg.setPlaybackSource(callersLeg);
    const isHeard = allOnce(
      () => stretches(caller, near, farHz) >= STRETCHES,
      () => stretches(desk, far, nearHz) >= STRETCHES,
    );
    await Promise.all([
      speak(caller, tone(callersLeg.port, near, nearHz), isHeard),
      speak(desk, tone(desksLeg.port, far, farHz), isHeard),
    ]);
    expect(stretches(caller, near, nearHz)).toBe(0);
    expect(stretches(desk, far, farHz)).toBe(0);
  });
});
