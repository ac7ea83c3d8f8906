import { describe, expect, test } from 'vitest';
import { decodeMulaw, encodeMulaw } from '../../../base/audio/g711.ts';
import { G722Decoder, G722Encoder } from '../../../sip/rtp/codecs/g722/g722.ts';
import { createOpus, OPUS_MAX_SAMPLES } from '../../../sip/rtp/codecs/opus-codec.ts';
import { DEFAULT_OPUS_PARAMETERS } from '../../../sip/rtp/codecs/opus-parameters.ts';
import type { RtpParameters } from '../../../sip/rtp/rtp-parameters.ts';
import type { RtpPeer } from '../../rtp-peer/rtp-peer.ts';
import { measureTone } from '../../rtp-peer/tone.ts';
import { expectInStep, listen, mediaHarness, openLeg } from './media-harness.ts';
import { tone } from './tone.ts';

const { startMediaService, peer } = mediaHarness(27_000);
const G722 = { codec: 'g722', payloadType: 9 } as const;
/** Above what a telephone of 8 kHz can carry. */
const WIDE_HZ = 5000;
const NARROW_HZ = 700;

async function wideCall(legCodec: RtpParameters['codec'], wire: Partial<RtpParameters>, recordingPath?: string) {
  const mediaService = startMediaService();
  const recording = recordingPath === undefined ? {} : { recordingPath };
  const [caller, opened] = await Promise.all([peer(), openLeg(mediaService, { codec: legCodec, ...recording })]);
  opened.leg.configure(caller.session(wire));
  return { mediaService, caller, ...opened };
}

/** One second of a tone as G.722, in packets of 20 ms; RTP time goes on by 160 with each. */
async function sayG722(caller: RtpPeer, port: number, frequencyHz: number): Promise<void> {
  const codes = new Uint8Array(8000);
  new G722Encoder().encode(tone(frequencyHz, 16_000, 16_000), 0, 16_000, codes);
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

/** Of half a second in the middle of what is loud. */
function shareAt(samples: Int16Array, frequencyHz: number, sampleRateHz: number): number {
  const start = samples.findIndex((sample) => Math.abs(sample) > 3000) + sampleRateHz / 10;
  return measureTone(samples.slice(start, start + sampleRateHz / 2), frequencyHz, sampleRateHz).share;
}

describe('a call over G.722', () => {
  test('carries 5 kHz both ways: to the listener as linear16 at 16 kHz, from the voice resampled once', async () => {
    const { leg, caller, event } = await wideCall('g722', G722);
    expect(leg.audio.format).toEqual({ encoding: 'linear16', sampleRateHz: 16_000 });
    const heard = listen(leg);
    const spoken = tone(WIDE_HZ - 1000, 24_000, 24_000);
    leg.audio.play(0, 0, { encoding: 'linear16', sampleRateHz: 24_000 }, new Uint8Array(spoken.buffer));
    leg.audio.endSegment(0, 0);
    await sayG722(caller, leg.port, WIDE_HZ);
    await heard.until(32_000);
    expect(await event('segment_ended')).toMatchObject({ playedMs: 1000 });
    await caller.more(2);
    expect(heard.all()).toHaveLength(32_000);
    expect(shareAt(linear(heard.all()), WIDE_HZ, 16_000)).toBeGreaterThan(0.95);
    expect(shareAt(linear(heard.all()), WIDE_HZ - 1000, 16_000)).toBeLessThan(0.01);
    expect(shareAt(heardG722(caller), WIDE_HZ - 1000, 16_000)).toBeGreaterThan(0.95);
    expect(shareAt(heardG722(caller), WIDE_HZ, 16_000)).toBeLessThan(0.01);
  });

  test('sends 160 bytes and 160 units of time a packet, and silence that decodes to silence', async () => {
    const { mediaService, caller } = await wideCall('g722', G722);
    await caller.more(6);
    expectInStep(mediaService, caller.packets, 160);
    expect(new Set(caller.packets.map(({ payload }) => payload.length))).toEqual(new Set([160]));
    expect(Math.max(...heardG722(caller).map(Math.abs))).toBeLessThan(16);
  });

  test.each([
    { name: 'G.711', format: { encoding: 'mulaw', sampleRateHz: 8000 } as const },
    { name: 'linear16 at 16 kHz', format: { encoding: 'linear16', sampleRateHz: 16_000 } as const },
    { name: 'linear16 at 44.1 kHz', format: { encoding: 'linear16', sampleRateHz: 44_100 } as const },
    { name: 'linear16 at 48 kHz', format: { encoding: 'linear16', sampleRateHz: 48_000 } as const },
  ])('plays $name at its own pitch and length', async ({ format }) => {
    const { leg, caller, event } = await wideCall('g722', G722);
    const samples = tone(NARROW_HZ, format.sampleRateHz, format.sampleRateHz);
    let bytes = new Uint8Array(samples.buffer);
    if (format.encoding === 'mulaw') {
      bytes = new Uint8Array(samples.length);
      encodeMulaw(samples, 0, samples.length, bytes);
    }
    leg.audio.play(0, 0, format, bytes);
    leg.audio.endSegment(0, 0);
    expect(await event('segment_ended')).toMatchObject({ playedMs: 1000 });
    expect(shareAt(heardG722(caller), NARROW_HZ, 16_000)).toBeGreaterThan(0.95);
  });

  test('tells voice activity where it was, although the detector hears 8 kHz', async () => {
    const { leg, caller, event } = await wideCall('g722', G722);
    await sayG722(caller, leg.port, 300);
    await event('speech_started');
    expect(await event('speech_stopped')).toMatchObject({ audioMs: 1000 });
  });
});

describe('a call over Opus', () => {
  const OPUS = {
    codec: 'opus',
    payloadType: 107,
    dtmfClockHz: 48_000,
    opus: { ...DEFAULT_OPUS_PARAMETERS, fec: true },
  } as const;

  test('carries 5 kHz both ways, a tenth of it lost on the way in, its clock at 48 kHz', async () => {
    const opus = createOpus();
    const { mediaService, leg, caller, event } = await wideCall('opus', OPUS);
    const heard = listen(leg);
    leg.audio.play(0, 0, leg.audio.format, new Uint8Array(tone(WIDE_HZ - 1000, 16_000, 16_000).buffer));
    leg.audio.endSegment(0, 0);
    const encoder = opus.createEncoder(OPUS.opus);
    const own = tone(WIDE_HZ, 16_000, 16_000);
    for (let at = 0; at < own.length; at += 320) {
      const packet = new Uint8Array(640);
      const length = encoder.encode(own.subarray(at, at + 320), 320, packet, 0);
      if (at % 3200 === 1600) caller.sequence++;
      else await caller.send(leg.port, packet.subarray(0, length), 107);
      caller.timestamp += 960;
    }
    await heard.until(32_000);
    expect(heard.all()).toHaveLength(32_000);
    expect(shareAt(linear(heard.all()), WIDE_HZ, 16_000)).toBeGreaterThan(0.9);
    expect(await event('segment_ended')).toMatchObject({ playedMs: 1000 });
    await caller.more(2);
    expectInStep(mediaService, caller.packets, 960);
    const decoder = opus.createDecoder();
    const samples = new Int16Array(OPUS_MAX_SAMPLES);
    const out = caller.packets.map(({ payload }) => samples.slice(0, decoder.decode(payload, payload.length, samples)));
    const whole = Int16Array.from(out.flatMap((part) => [...part]));
    expect(shareAt(whole, WIDE_HZ - 1000, 16_000)).toBeGreaterThan(0.9);
    expect(shareAt(whole, WIDE_HZ, 16_000)).toBeLessThan(0.01);
  });

  test('sends digits at the clock of 48 kHz', async () => {
    const { leg, caller } = await wideCall('opus', OPUS);
    await caller.more(1);
    leg.audio.sendDtmf('5');
    await caller.until(() => caller.packets.filter((one) => one.payloadType === 101).length === 7);
    const last = caller.packets.filter((one) => one.payloadType === 101).at(-1);
    expect(last?.payload.slice(2)).toEqual(Uint8Array.of(4800 >> 8, 4800 & 0xff));
  });

  test('sends nothing in silence where the peer asks for DTX, and the first word at once', async () => {
    const { leg, caller, event } = await wideCall('opus', { ...OPUS, opus: { ...OPUS.opus, dtx: true } });
    // A packet behind a pause is as much later in time as it was left out: two are 20 ms apart otherwise.
    const pauses = () =>
      caller.packets.filter(
        ({ timestamp }, i) => i > 0 && (timestamp - (caller.packets[i - 1]?.timestamp ?? 0)) >>> 0 > 10 * 960,
      );
    await caller.until(() => pauses().length > 0);
    expect(pauses()[0]?.marker).toBe(true);
    leg.audio.play(0, 0, leg.audio.format, new Uint8Array(tone(NARROW_HZ, 8000, 16_000).buffer));
    leg.audio.endSegment(0, 0);
    await event('segment_ended');
    expect(caller.packets.filter(({ marker }) => marker).length).toBeGreaterThan(1);
    const sequences = caller.packets.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.map((_, i) => ((sequences[0] ?? 0) + i) & 0xffff));
  });
});

describe('a leg that speaks otherwise than its wire', () => {
  test('gives mu-law of what comes as G.722, and sends mu-law as G.722', async () => {
    const { leg, caller, event } = await wideCall('pcmu', G722);
    const heard = listen(leg);
    const codes = new Uint8Array(8000);
    encodeMulaw(tone(NARROW_HZ, 8000), 0, 8000, codes);
    leg.audio.play(0, 0, leg.audio.format, codes);
    leg.audio.endSegment(0, 0);
    await sayG722(caller, leg.port, 1000);
    await heard.until(8000);
    expect(await event('segment_ended')).toMatchObject({ playedMs: 1000 });
    await caller.more(2);
    const samples = new Int16Array(8000);
    decodeMulaw(heard.all(), 0, 8000, samples);
    expect(shareAt(samples, 1000, 8000)).toBeGreaterThan(0.95);
    expect(shareAt(heardG722(caller), NARROW_HZ, 16_000)).toBeGreaterThan(0.95);
  });

  test('gives linear16 at 16 kHz of what comes as mu-law, and sends linear16 as mu-law', async () => {
    const { leg, caller, event } = await wideCall('g722', {});
    const heard = listen(leg);
    const spoken = tone(NARROW_HZ, 16_000, 16_000);
    leg.audio.play(0, 0, leg.audio.format, new Uint8Array(spoken.buffer));
    leg.audio.endSegment(0, 0);
    const codes = new Uint8Array(8000);
    encodeMulaw(tone(1000, 8000), 0, 8000, codes);
    for (let at = 0; at < 8000; at += 160) await caller.send(leg.port, codes.subarray(at, at + 160));
    await heard.until(31_000);
    expect(await event('segment_ended')).toMatchObject({ playedMs: 1000 });
    expect(shareAt(linear(heard.all()), 1000, 16_000)).toBeGreaterThan(0.95);
    const out = new Int16Array(caller.audio().length);
    decodeMulaw(caller.audio(), 0, out.length, out);
    expect(shareAt(out, NARROW_HZ, 8000)).toBeGreaterThan(0.95);
  });

  test('follows its wire from G.711 to G.722 and back in one call, with what was played counted on', async () => {
    const { leg, caller, event } = await wideCall('g722', {});
    const spoken = tone(NARROW_HZ, 32_000, 16_000);
    leg.audio.play(0, 0, leg.audio.format, new Uint8Array(spoken.buffer));
    leg.audio.endSegment(0, 0);
    await caller.more(20);
    leg.configure(caller.session(G722));
    await caller.until(() => caller.packets.filter((one) => one.payloadType === 9).length > 40);
    leg.configure(caller.session());
    expect(await event('segment_ended')).toMatchObject({ playedMs: 2000 });
    expect(shareAt(heardG722(caller), NARROW_HZ, 16_000)).toBeGreaterThan(0.95);
  });
});

describe('the length of packets', () => {
  test.each([
    { packetMs: 10, codec: 'pcmu', payloadType: 0 },
    { packetMs: 30, codec: 'pcmu', payloadType: 0 },
    { packetMs: 40, codec: 'g722', payloadType: 9 },
    { packetMs: 60, codec: 'pcmu', payloadType: 0 },
  ] as const)('of $packetMs ms with $codec is as the peer wants it, whole and in step with time', async (wire) => {
    const { mediaService, leg, caller, event } = await wideCall('pcmu', wire);
    const codes = Uint8Array.from({ length: 4800 }, (_, i) => i % 251);
    leg.audio.play(0, 0, leg.audio.format, codes);
    leg.audio.endSegment(0, 0);
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
  });
});
