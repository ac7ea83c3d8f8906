import { describe, expect, it } from 'vitest';
import { decodeMulaw, encodeMulaw } from '../../../base/audio/g711.ts';
import { seeded } from '../../../fixtures/sound/speakerphone.ts';
import { silence, tone as sine } from '../../../fixtures/sound/synthesis.ts';
import { measureTone, toneOfSamples } from '../../rtp-peer/tone.ts';
import { expectInStep, listen, mediaHarness, openSession } from './media-harness.ts';

const { startMediaService, peer, connectedCall } = mediaHarness(12_500);

function mulawTone(frequencyHz: number, samples: number): Uint8Array {
  const codes = new Uint8Array(samples);
  encodeMulaw(toneOfSamples(frequencyHz, samples), 0, samples, codes);
  return codes;
}

function linear(codes: Uint8Array): Int16Array {
  const samples = new Int16Array(codes.length);
  decodeMulaw(codes, 0, codes.length, samples);
  return samples;
}

describe('audio of an RTP session', () => {
  it('sends silence from the first configure on, 160 bytes a packet, without gaps, from an even port', async () => {
    const { mediaService, session, caller } = await connectedCall();
    await caller.more(10);
    expect(session.port % 2).toBe(0);
    const [first] = caller.packets;
    expect(first).toMatchObject({ marker: true, payloadType: 0, port: session.port });
    expect(new Set(caller.packets.map(({ ssrc }) => ssrc))).toEqual(new Set([first?.ssrc]));
    expectInStep(mediaService, caller.packets, 160);
    expect(caller.audio()).toEqual(Buffer.alloc(caller.packets.length * 160, 0xff));
  });

  it('sends A-law silence in an A-law call', async () => {
    const mediaService = startMediaService();
    const caller = await peer();
    const { session } = await openSession(mediaService, { codec: 'pcma' });
    session.configure(caller.session({ codec: 'pcma', payloadType: 8 }));
    await caller.more(2);
    expect(session.audio.format).toEqual({ encoding: 'alaw', sampleRateHz: 8000 });
    expect(new Set(caller.audio(8))).toEqual(new Set([0xd5]));
  });

  it("carries each side's tone to the other side only", async () => {
    const { session, caller, event } = await connectedCall();
    const heard = listen(session);
    const spoken = toneOfSamples(1000, 24_000, 24_000);
    session.audio.play(0, 0, { encoding: 'linear16', sampleRateHz: 24_000 }, new Uint8Array(spoken.buffer));
    session.audio.endSegment(0, 0);
    const callerTone = mulawTone(440, 8000);
    for (let at = 0; at < callerTone.length; at += 160)
      await caller.send(session.port, callerTone.subarray(at, at + 160));
    await heard.until(8000);
    await event('segment_ended');
    await caller.more(2);
    const out = linear(caller.audio());
    expect(measureTone(linear(heard.all()), 440).share).toBeGreaterThan(0.98);
    expect(measureTone(linear(heard.all()), 1000).share).toBeLessThan(0.01);
    const start = out.findIndex((sample) => sample !== 0);
    expect(measureTone(out.slice(start, start + 7900), 1000).share).toBeGreaterThan(0.97);
    expect(measureTone(out.slice(start, start + 7900), 440).share).toBeLessThan(0.01);
  });

  it("passes the caller's bytes on unchanged and complete, even if packets arrive out of order", async () => {
    const { session, caller } = await connectedCall();
    const heard = listen(session);
    const spoken = Uint8Array.from({ length: 6400 }, (_, i) => (i * 37 + (i >> 8)) & 0xff);
    const packets = Array.from({ length: 40 }, (_, i) => i);
    for (let i = 1; i + 1 < 40; i += 4) packets.splice(i, 2, i + 1, i);
    for (const i of packets) {
      caller.sequence = 100 + i;
      caller.timestamp = 8000 + i * 160;
      await caller.send(session.port, spoken.subarray(i * 160, (i + 1) * 160));
    }
    await heard.until(6400);
    expect(heard.all()).toEqual(spoken);
  });

  it("keeps the caller's audio for the first listener", async () => {
    const { mediaService, session, caller } = await connectedCall();
    for (let i = 0; i < 20; i++) await caller.send(session.port, new Uint8Array(160).fill(i));
    while ((await mediaService.statistics()).packetsReceived < 20) await caller.more(1);
    await caller.more(2);
    const heard = listen(session);
    await heard.until(3200);
    expect(heard.all()).toEqual(Uint8Array.from({ length: 3200 }, (_, i) => Math.floor(i / 160)));
  });

  it('accepts packets of 10, 30 and 60 ms, and empty ones', async () => {
    const { session, caller } = await connectedCall();
    const heard = listen(session);
    for (const length of [80, 240, 0, 480, 160])
      await caller.send(session.port, new Uint8Array(length).fill(length & 0xff));
    await heard.until(960);
    expect(heard.all()).toHaveLength(960);
  });

  it("emits the caller's voice activity with its time in the audio", async () => {
    const { session, caller, event } = await connectedCall();
    await caller.sendAtOnce(session.port, mulawTone(300, 8000));
    const started = await event('speech_started');
    expect(started).toMatchObject({ type: 'speech_started' });
    const stopped = await event('speech_stopped');
    expect(stopped).toMatchObject({ audioMs: 1000 });
  });
});

it('removes noise from the audio of a session that asked for it', async () => {
  const { session, caller } = await connectedCall();
  const heard = listen(session);
  session.suppressNoise((reason) => expect.unreachable(reason));
  const random = seeded(1);
  const noise = Int16Array.from({ length: 50 * 160 }, () => (2 * random() - 1) * 600);
  const codes = new Uint8Array(noise.length);
  encodeMulaw(noise, 0, noise.length, codes);
  const loudest = () => {
    const late = heard.all().slice(-2_000);
    const samples = new Int16Array(late.length);
    decodeMulaw(late, 0, late.length, samples);
    return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  };
  let sent = 0;
  // The worker loads the module beside the first packets.
  do {
    for (let at = 0; at < codes.length; at += 160) await caller.send(session.port, codes.subarray(at, at + 160));
    sent += codes.length;
    await heard.until(sent - 1_000);
  } while (loudest() > 100 && sent < 20 * codes.length);
  expect(loudest()).toBeLessThanOrEqual(100);
});

describe('tone detection', () => {
  const beep = [silence(600), sine([1_000], 400), silence(600)].flatMap((part) => [...part]);
  const codes = new Uint8Array(beep.length);
  encodeMulaw(Int16Array.from(beep), 0, beep.length, codes);
  const packets = Array.from({ length: codes.length / 160 }, (_, i) => codes.subarray(i * 160, (i + 1) * 160));

  it('emits a beep with its time in the audio, only while tones are requested', async () => {
    const { session, caller, event, events } = await connectedCall();
    const heard = listen(session);
    const send = async () => {
      for (const packet of packets) await caller.send(session.port, packet);
    };
    await send();
    await heard.until(codes.length);
    session.audio.listenForTones(true);
    // Commands and packets reach the worker by different ways. The `paused` event proves that the worker has executed
    // the command before it.
    session.audio.pause();
    await event('paused');
    await send();
    expect(await event('tone')).toMatchObject({ type: 'tone', kind: 'beep', frequencyHz: 1_000 });
    const [tone] = events.filter(({ type }) => type === 'tone');
    if (tone?.type !== 'tone') throw new Error('no tone was emitted');
    expect(Math.abs(tone.startMs - 2_200)).toBeLessThanOrEqual(15);
    expect(Math.abs(tone.endMs - 2_600)).toBeLessThanOrEqual(15);
    session.audio.listenForTones(false);
    session.audio.clear(0);
    await event('cleared');
    await send();
    await heard.until(3 * codes.length);
    expect(events.filter(({ type }) => type === 'tone')).toHaveLength(1);
  });

  it('emits a beep that is followed by no packet', async () => {
    const { session, caller, event } = await connectedCall();
    session.audio.listenForTones(true);
    session.audio.pause();
    await event('paused');
    for (const packet of packets.slice(0, 50)) await caller.send(session.port, packet);
    expect(await event('tone')).toMatchObject({ kind: 'beep' });
  });
});

describe('DTMF', () => {
  it('sends digits as events of 100 ms, each with three end packets and one timestamp', async () => {
    const { session, caller } = await connectedCall();
    await caller.more(1);
    session.audio.sendDtmf('5#');
    await caller.until(() => caller.packets.filter(({ payloadType }) => payloadType === 101).length === 14);
    await caller.more(8);
    const events = caller.packets.filter(({ payloadType }) => payloadType === 101);
    expect(events).toHaveLength(14);
    const [five, hash] = [events.slice(0, 7), events.slice(7)];
    for (const [digit, group] of [
      [5, five],
      [11, hash],
    ] as const) {
      expect(new Set(group.map(({ timestamp }) => timestamp)).size).toBe(1);
      expect(group.map(({ payload }) => payload[0])).toEqual(new Array(7).fill(digit));
      expect(group.map(({ payload }) => (payload[1] ?? 0) >> 7)).toEqual([0, 0, 0, 0, 1, 1, 1]);
      expect(group.at(-1)?.payload.slice(2)).toEqual(Uint8Array.of(800 >> 8, 800 & 0xff));
      expect(group.map(({ marker }) => marker)).toEqual([true, false, false, false, false, false, false]);
    }
  });

  it("emits each of the caller's digits once, even without marker and with all end packets lost", async () => {
    const { session, caller, events, event } = await connectedCall();
    const packet = (digit: number, end: boolean, duration: number) =>
      caller.send(session.port, Uint8Array.of(digit, end ? 0x8a : 0x0a, duration >> 8, duration & 0xff), 101);
    for (const duration of [160, 320, 480]) await packet(7, false, duration);
    for (let i = 0; i < 3; i++) await packet(7, true, 640);
    caller.timestamp += 8000;
    await packet(1, false, 160);
    await event('dtmf');
    await caller.until(() => events.filter(({ type }) => type === 'dtmf').length === 2);
    expect(events.filter(({ type }) => type === 'dtmf')).toEqual([
      { type: 'dtmf', digit: '7', durationMs: 80 },
      { type: 'dtmf', digit: '1', durationMs: 20 },
    ]);
  });
});
