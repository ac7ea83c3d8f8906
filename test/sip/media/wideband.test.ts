import { describe, expect, it } from 'vitest';
import { decodeMulaw, encodeMulaw } from '../../../base/audio/g711.ts';
import { G722Decoder, G722Encoder } from '../../../sip/rtp/codecs/g722/g722.ts';
import { createOpus, OPUS_SAMPLES_MAX } from '../../../sip/rtp/codecs/opus-codec.ts';
import { DEFAULT_OPUS_PARAMETERS } from '../../../sip/rtp/codecs/opus-parameters.ts';
import type { RtpParameters } from '../../../sip/rtp/rtp-parameters.ts';
import type { RtpPeer } from '../../rtp-peer/rtp-peer.ts';
import { measureTone, toneOfSamples } from '../../rtp-peer/tone.ts';
import { expectInStep, listen, mediaHarness, openSession, workerCaughtUp } from './media-harness.ts';

const { startMediaService, peer } = mediaHarness(15_000);
const G722 = { codec: 'g722', payloadType: 9 } as const;
/** Above the band of 8 kHz audio. */
const WIDE_HZ = 5000;
const NARROW_HZ = 700;

async function wideCall(sessionCodec: RtpParameters['codec'], wire: Partial<RtpParameters>, recordingPath?: string) {
  const mediaService = startMediaService();
  const recording = recordingPath === undefined ? {} : { recordingPath };
  const [caller, opened] = await Promise.all([
    peer(),
    openSession(mediaService, { codec: sessionCodec, ...recording }),
  ]);
  opened.session.configure(caller.session(wire));
  await workerCaughtUp(mediaService);
  return { mediaService, caller, ...opened };
}

/** Sends one second of a tone as G.722, in packets of 20 ms, each 160 units of RTP time. */
async function sendG722Tone(caller: RtpPeer, port: number, frequencyHz: number): Promise<void> {
  const codes = new Uint8Array(8000);
  new G722Encoder().encode(toneOfSamples(frequencyHz, 16_000, 16_000), 0, 16_000, codes);
  await caller.sendAtOnce(port, codes, 9);
}

function heardG722(caller: RtpPeer): Int16Array {
  const payload = caller.audio(9);
  const samples = new Int16Array(payload.length * 2);
  new G722Decoder().decode(payload, 0, payload.length, samples);
  return samples;
}

function linear(bytes: Uint8Array): Int16Array {
  return new Int16Array(Uint8Array.from(bytes).buffer);
}

/** The tone's share of half a second within the loud part. */
function toneShareWithin(samples: Int16Array, frequencyHz: number, sampleRateHz: number): number {
  const start = samples.findIndex((sample) => Math.abs(sample) > 3000) + sampleRateHz / 10;
  return measureTone(samples.slice(start, start + sampleRateHz / 2), frequencyHz, sampleRateHz).share;
}

describe('G.722 call', () => {
  it('carries 5 kHz both ways, as linear16 at 16 kHz to the listener', async () => {
    const { session, caller, event } = await wideCall('g722', G722);
    expect(session.audio.format).toEqual({ encoding: 'linear16', sampleRateHz: 16_000 });
    const heard = listen(session);
    const spoken = toneOfSamples(WIDE_HZ - 1000, 24_000, 24_000);
    session.audio.play(0, 0, { encoding: 'linear16', sampleRateHz: 24_000 }, new Uint8Array(spoken.buffer));
    session.audio.endSegment(0, 0);
    await sendG722Tone(caller, session.port, WIDE_HZ);
    await heard.until(32_000);
    expect(await event('segment_ended')).toMatchObject({ playedMs: 1000 });
    await caller.more(2);
    expect(heard.all()).toHaveLength(32_000);
    expect(toneShareWithin(linear(heard.all()), WIDE_HZ, 16_000)).toBeGreaterThan(0.95);
    expect(toneShareWithin(linear(heard.all()), WIDE_HZ - 1000, 16_000)).toBeLessThan(0.01);
    expect(toneShareWithin(heardG722(caller), WIDE_HZ - 1000, 16_000)).toBeGreaterThan(0.95);
    expect(toneShareWithin(heardG722(caller), WIDE_HZ, 16_000)).toBeLessThan(0.01);
  });

  it('sends packets of 160 bytes and 160 units of time, and silence that decodes to silence', async () => {
    const { mediaService, caller } = await wideCall('g722', G722);
    await caller.more(6);
    expectInStep(mediaService, caller.packets, 160);
    expect(new Set(caller.packets.map(({ payload }) => payload.length))).toEqual(new Set([160]));
    expect(Math.max(...heardG722(caller).map(Math.abs))).toBeLessThan(16);
  });

  it.each([
    { name: 'G.711', format: { encoding: 'mulaw', sampleRateHz: 8000 } as const },
    { name: 'linear16 at 16 kHz', format: { encoding: 'linear16', sampleRateHz: 16_000 } as const },
    { name: 'linear16 at 44.1 kHz', format: { encoding: 'linear16', sampleRateHz: 44_100 } as const },
    { name: 'linear16 at 48 kHz', format: { encoding: 'linear16', sampleRateHz: 48_000 } as const },
  ])('plays $name with correct pitch and length', async ({ format }) => {
    const { session, caller, event } = await wideCall('g722', G722);
    const samples = toneOfSamples(NARROW_HZ, format.sampleRateHz, format.sampleRateHz);
    let bytes = new Uint8Array(samples.buffer);
    if (format.encoding === 'mulaw') {
      bytes = new Uint8Array(samples.length);
      encodeMulaw(samples, 0, samples.length, bytes);
    }
    session.audio.play(0, 0, format, bytes);
    session.audio.endSegment(0, 0);
    expect(await event('segment_ended')).toMatchObject({ playedMs: 1000 });
    expect(toneShareWithin(heardG722(caller), NARROW_HZ, 16_000)).toBeGreaterThan(0.95);
  });

  it('emits voice activity with the correct time, although the detector runs at 8 kHz', async () => {
    const { session, caller, event } = await wideCall('g722', G722);
    await sendG722Tone(caller, session.port, 300);
    await event('speech_started');
    expect(await event('speech_stopped')).toMatchObject({ audioMs: 1000 });
  });
});

describe('Opus call', () => {
  const OPUS = {
    codec: 'opus',
    payloadType: 107,
    dtmfClockHz: 48_000,
    opus: { ...DEFAULT_OPUS_PARAMETERS, fec: true },
  } as const;

  it('carries 5 kHz both ways at a clock of 48 kHz, with 10 % inbound loss', async () => {
    const opus = createOpus();
    const { mediaService, session, caller, event } = await wideCall('opus', OPUS);
    const heard = listen(session);
    session.audio.play(
      0,
      0,
      session.audio.format,
      new Uint8Array(toneOfSamples(WIDE_HZ - 1000, 16_000, 16_000).buffer),
    );
    session.audio.endSegment(0, 0);
    const encoder = opus.createEncoder(OPUS.opus);
    const callerTone = toneOfSamples(WIDE_HZ, 16_000, 16_000);
    for (let at = 0; at < callerTone.length; at += 320) {
      const packet = new Uint8Array(640);
      const length = encoder.encode(callerTone.subarray(at, at + 320), 320, packet, 0);
      if (at % 3200 === 1600) caller.sequence++;
      else await caller.send(session.port, packet.subarray(0, length), 107);
      caller.timestamp += 960;
    }
    await heard.until(32_000);
    expect(heard.all()).toHaveLength(32_000);
    expect(toneShareWithin(linear(heard.all()), WIDE_HZ, 16_000)).toBeGreaterThan(0.9);
    expect(await event('segment_ended')).toMatchObject({ playedMs: 1000 });
    await caller.more(2);
    expectInStep(mediaService, caller.packets, 960);
    const decoder = opus.createDecoder();
    const samples = new Int16Array(OPUS_SAMPLES_MAX);
    const out = caller.packets.map(({ payload }) => samples.slice(0, decoder.decode(payload, payload.length, samples)));
    const whole = Int16Array.from(out.flatMap((part) => [...part]));
    expect(toneShareWithin(whole, WIDE_HZ - 1000, 16_000)).toBeGreaterThan(0.9);
    expect(toneShareWithin(whole, WIDE_HZ, 16_000)).toBeLessThan(0.01);
  });

  it('sends DTMF digits at a clock of 48 kHz', async () => {
    const { session, caller } = await wideCall('opus', OPUS);
    await caller.more(1);
    session.audio.sendDtmf('5');
    await caller.until(() => caller.packets.filter(({ payloadType }) => payloadType === 101).length === 7);
    const last = caller.packets.filter(({ payloadType }) => payloadType === 101).at(-1);
    expect(last?.payload.slice(2)).toEqual(Uint8Array.of(4800 >> 8, 4800 & 0xff));
  });

  it('sends no packets in silence if the peer requests DTX, and speech at once', async () => {
    const { session, caller, event } = await wideCall('opus', { ...OPUS, opus: { ...OPUS.opus, dtx: true } });
    // Timestamps are 20 ms apart, except across a pause without packets.
    const pauses = () =>
      caller.packets.filter(
        ({ timestamp }, i) => i > 0 && (timestamp - (caller.packets[i - 1]?.timestamp ?? 0)) >>> 0 > 10 * 960,
      );
    await caller.until(() => pauses().length > 0);
    expect(pauses()[0]?.marker).toBe(true);
    session.audio.play(0, 0, session.audio.format, new Uint8Array(toneOfSamples(NARROW_HZ, 8000, 16_000).buffer));
    session.audio.endSegment(0, 0);
    await event('segment_ended');
    expect(caller.packets.filter(({ marker }) => marker).length).toBeGreaterThan(1);
    const sequences = caller.packets.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.map((_, i) => ((sequences[0] ?? 0) + i) & 0xffff));
  });
});

describe('session format that differs from the wire', () => {
  it('converts between G.722 on the wire and mu-law in the session', async () => {
    const { session, caller, event } = await wideCall('pcmu', G722);
    const heard = listen(session);
    const codes = new Uint8Array(8000);
    encodeMulaw(toneOfSamples(NARROW_HZ, 8000), 0, 8000, codes);
    session.audio.play(0, 0, session.audio.format, codes);
    session.audio.endSegment(0, 0);
    await sendG722Tone(caller, session.port, 1000);
    await heard.until(8000);
    expect(await event('segment_ended')).toMatchObject({ playedMs: 1000 });
    await caller.more(2);
    const samples = new Int16Array(8000);
    decodeMulaw(heard.all(), 0, 8000, samples);
    expect(toneShareWithin(samples, 1000, 8000)).toBeGreaterThan(0.95);
    expect(toneShareWithin(heardG722(caller), NARROW_HZ, 16_000)).toBeGreaterThan(0.95);
  });

  it('converts between mu-law on the wire and linear16 at 16 kHz in the session', async () => {
    const { session, caller, event } = await wideCall('g722', {});
    const heard = listen(session);
    const spoken = toneOfSamples(NARROW_HZ, 16_000, 16_000);
    session.audio.play(0, 0, session.audio.format, new Uint8Array(spoken.buffer));
    session.audio.endSegment(0, 0);
    const codes = new Uint8Array(8000);
    encodeMulaw(toneOfSamples(1000, 8000), 0, 8000, codes);
    for (let at = 0; at < 8000; at += 160) await caller.send(session.port, codes.subarray(at, at + 160));
    await heard.until(31_000);
    expect(await event('segment_ended')).toMatchObject({ playedMs: 1000 });
    expect(toneShareWithin(linear(heard.all()), 1000, 16_000)).toBeGreaterThan(0.95);
    const out = new Int16Array(caller.audio().length);
    decodeMulaw(caller.audio(), 0, out.length, out);
    expect(toneShareWithin(out, NARROW_HZ, 8000)).toBeGreaterThan(0.95);
  });

  it('continues the playback position when the wire changes from G.711 to G.722 and back', async () => {
    const { session, caller, event } = await wideCall('g722', {});
    const spoken = toneOfSamples(NARROW_HZ, 32_000, 16_000);
    session.audio.play(0, 0, session.audio.format, new Uint8Array(spoken.buffer));
    session.audio.endSegment(0, 0);
    await caller.more(20);
    session.configure(caller.session(G722));
    await caller.until(() => caller.packets.filter(({ payloadType }) => payloadType === 9).length > 40);
    session.configure(caller.session());
    expect(await event('segment_ended')).toMatchObject({ playedMs: 2000 });
    expect(toneShareWithin(heardG722(caller), NARROW_HZ, 16_000)).toBeGreaterThan(0.95);
  });
});

describe('packet length', () => {
  it.each([
    { packetMs: 10, codec: 'pcmu', payloadType: 0 },
    { packetMs: 30, codec: 'pcmu', payloadType: 0 },
    { packetMs: 40, codec: 'g722', payloadType: 9 },
    { packetMs: 60, codec: 'pcmu', payloadType: 0 },
  ] as const)(
    'is $packetMs ms with $codec if the peer requests it, with complete audio and even timestamps',
    async (wire) => {
      const { mediaService, session, caller, event } = await wideCall('pcmu', wire);
      const codes = Uint8Array.from({ length: 4800 }, (_, i) => i % 251);
      session.audio.play(0, 0, session.audio.format, codes);
      session.audio.endSegment(0, 0);
      expect(await event('segment_ended')).toMatchObject({ playedMs: 600 });
      await caller.more(6);
      const units = wire.packetMs * 8;
      expectInStep(mediaService, caller.packets, units);
      expect(new Set(caller.packets.map(({ payload }) => payload.length))).toEqual(new Set([units]));
      if (wire.payloadType === 0) {
        const out = caller.audio();
        const start = out.indexOf(0);
        expect(Uint8Array.from(out.subarray(start, start + 4800))).toEqual(codes);
      }
    },
  );
});
