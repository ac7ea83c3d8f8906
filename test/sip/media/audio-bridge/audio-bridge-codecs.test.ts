import { beforeAll, describe, expect, it } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../../base/audio/g711.ts';
import { G722Decoder, G722Encoder } from '../../../../sip/rtp/codecs/g722/g722.ts';
import { createOpus, OPUS_SAMPLES_MAX, type OpusCodecs } from '../../../../sip/rtp/codecs/opus-codec.ts';
import { DEFAULT_OPUS_PARAMETERS } from '../../../../sip/rtp/codecs/opus-parameters.ts';
import type { RtpParameters } from '../../../../sip/rtp/rtp-parameters.ts';
import type { RtpPeer } from '../../../rtp-peer/rtp-peer.ts';
import { allOnce, type RtpSpeech, speak } from '../../../rtp-peer/rtp-speech.ts';
import { makeTone, measureTone } from '../../../rtp-peer/tone.ts';
import { mediaHarness, openSession } from '../media-harness.ts';

const { startMediaService, peer } = mediaHarness(10_000);
/** Above the band of 8 kHz audio: if this tone arrives, the whole path was wideband. */
const WIDE_HZ = 5_000;
const NEAR_HZ = 700;
const FAR_HZ = 1_100;
const STRETCH_MS = 100;
/** Stretches of pure tone that each peer must receive. */
const STRETCHES = 3;
const TONE_MS = 1_000;
const FRAME_MS = 20;

let opus: OpusCodecs;
beforeAll(() => {
  opus = createOpus();
});

/** How a peer encodes and decodes one codec, in packets of 20 ms. */
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
    const samples = new Int16Array(OPUS_SAMPLES_MAX);
    const parts = payloads.map((payload) => samples.slice(0, decoder.decode(payload, payload.length, samples)));
    return Int16Array.from(parts.flatMap((part) => [...part]));
  },
};

/** A tone of one second, repeated. */
function repeatedTone(to: number, { encoder, payloadType, rateHz, units }: Wire, hz: number): RtpSpeech {
  const samples = makeTone(hz, TONE_MS, 4_000, rateHz);
  const encode = encoder();
  const length = (rateHz / 1_000) * FRAME_MS;
  const frame = (index: number) => {
    const at = (index * length) % samples.length;
    return encode(samples.subarray(at, at + length));
  };
  return { to, payloadType, units, frame };
}

/** The number of stretches of the received audio that are almost purely this tone. */
function toneStretches(listener: RtpPeer, wire: Wire, hz: number): number {
  const payloads = listener.packets.filter(({ payloadType }) => payloadType === wire.payloadType);
  const heard = wire.decode(payloads.map(({ payload }) => payload));
  const length = (wire.rateHz / 1_000) * STRETCH_MS;
  let count = 0;
  for (let from = 0; from + length <= heard.length; from += length) {
    const { level, share } = measureTone(heard.subarray(from, from + length), hz, wire.rateHz);
    if (share > 0.9 && level > 1_000) count++;
  }
  return count;
}

describe('bridge between two codecs', () => {
  it.each([
    { name: 'Opus and G.722', near: OPUS, far: G722, nearHz: WIDE_HZ, farHz: WIDE_HZ - 1_000 },
    { name: 'Opus and G.711 mu-law', near: OPUS, far: g711('pcmu'), nearHz: NEAR_HZ, farHz: FAR_HZ },
    { name: 'G.711 A-law and Opus', near: g711('pcma'), far: OPUS, nearHz: NEAR_HZ, farHz: FAR_HZ },
    { name: 'G.722 and G.711 A-law', near: G722, far: g711('pcma'), nearHz: NEAR_HZ, farHz: FAR_HZ },
  ])('$name: each peer hears the other peer’s tone and not its own', async ({ near, far, nearHz, farHz }) => {
    const mediaService = startMediaService();
    const [caller, desk] = await Promise.all([peer(), peer()]);
    const { session: callerSession } = await openSession(mediaService);
    const { session: deskSession } = await openSession(mediaService, { beside: callerSession });
    callerSession.configure(caller.session(near.session));
    deskSession.configure(desk.session(far.session));
    callerSession.setPlaybackSource(deskSession);
    deskSession.setPlaybackSource(callerSession);
    const isHeard = allOnce(
      () => toneStretches(caller, near, farHz) >= STRETCHES,
      () => toneStretches(desk, far, nearHz) >= STRETCHES,
    );
    await Promise.all([
      speak(caller, repeatedTone(callerSession.port, near, nearHz), isHeard),
      speak(desk, repeatedTone(deskSession.port, far, farHz), isHeard),
    ]);
    expect(toneStretches(caller, near, nearHz)).toBe(0);
    expect(toneStretches(desk, far, farHz)).toBe(0);
  });
});
