import { describe, expect, test } from 'vitest';
import { decodeMulaw, encodeMulaw } from '../../../base/audio/g711.ts';
import { silence, tone as sine } from '../../../fixtures/answers/synthesis.ts';
import { expectInStep, listen, mediaHarness, openLeg } from './media-harness.ts';
import { tone, toneShare } from './tone.ts';

const { startMediaService, peer, connectedCall } = mediaHarness(20000);

function mulawTone(frequencyHz: number, samples: number): Uint8Array {
  const codes = new Uint8Array(samples);
  encodeMulaw(tone(frequencyHz, samples), 0, samples, codes);
  return codes;
}

function linear(codes: Uint8Array): Int16Array {
  const samples = new Int16Array(codes.length);
  decodeMulaw(codes, 0, codes.length, samples);
  return samples;
}

describe('the way of audio', () => {
  test('silence flows from the first configure on, an even port, 160 bytes a packet, without gaps', async () => {
    const { mediaService, leg, caller } = await connectedCall();
    await caller.more(10);
    expect(leg.port % 2).toBe(0);
    const [first] = caller.packets;
    expect(first).toMatchObject({ marker: true, payloadType: 0, port: leg.port });
    expect(new Set(caller.packets.map(({ ssrc }) => ssrc))).toEqual(new Set([first?.ssrc]));
    expectInStep(mediaService, caller.packets, 160);
    expect(caller.audio()).toEqual(Buffer.alloc(caller.packets.length * 160, 0xff));
  });

  test('an A-law call is silent with A-law silence', async () => {
    const mediaService = startMediaService();
    const caller = await peer();
    const { leg } = await openLeg(mediaService, { codec: 'pcma' });
    leg.configure(caller.session({ codec: 'pcma', payloadType: 8 }));
    await caller.more(2);
    expect(leg.audio.format).toEqual({ encoding: 'alaw', sampleRateHz: 8000 });
    expect(new Set(caller.audio(8))).toEqual(new Set([0xd5]));
  });

  test("each side hears the other's tone and not its own", async () => {
    const { leg, caller, event } = await connectedCall();
    const heard = listen(leg);
    const spoken = tone(1000, 24_000, 24_000);
    leg.audio.play(0, 0, { encoding: 'linear16', sampleRateHz: 24_000 }, new Uint8Array(spoken.buffer));
    leg.audio.endSegment(0, 0);
    const own = mulawTone(440, 8000);
    for (let at = 0; at < own.length; at += 160) await caller.send(leg.port, own.subarray(at, at + 160));
    await heard.until(8000);
    await event('segment_ended');
    await caller.more(2);
    const out = linear(caller.audio());
    expect(toneShare(linear(heard.all()), 440)).toBeGreaterThan(0.98);
    expect(toneShare(linear(heard.all()), 1000)).toBeLessThan(0.01);
    const start = out.findIndex((sample) => sample !== 0);
    expect(toneShare(out.slice(start, start + 7900), 1000)).toBeGreaterThan(0.97);
    expect(toneShare(out.slice(start, start + 7900), 440)).toBeLessThan(0.01);
  });

  test("the caller's bytes arrive undecoded and whole, also where packets overtake each other", async () => {
    const { leg, caller } = await connectedCall();
    const heard = listen(leg);
    const spoken = Uint8Array.from({ length: 6400 }, (_, i) => (i * 37 + (i >> 8)) & 0xff);
    const packets = Array.from({ length: 40 }, (_, i) => i);
    for (let i = 1; i + 1 < 40; i += 4) packets.splice(i, 2, i + 1, i);
    for (const i of packets) {
      caller.sequence = 100 + i;
      caller.timestamp = 8000 + i * 160;
      await caller.send(leg.port, spoken.subarray(i * 160, (i + 1) * 160));
    }
    await heard.until(6400);
    expect(heard.all()).toEqual(spoken);
  });

  test('what the caller says before anyone listens is kept', async () => {
    const { mediaService, leg, caller } = await connectedCall();
    for (let i = 0; i < 20; i++) await caller.send(leg.port, new Uint8Array(160).fill(i));
    while ((await mediaService.statistics()).packetsReceived < 20) await caller.more(1);
    await caller.more(2);
    const heard = listen(leg);
    await heard.until(3200);
    expect(heard.all()).toEqual(Uint8Array.from({ length: 3200 }, (_, i) => Math.floor(i / 160)));
  });

  test('packets of 10, 30 and 60 ms and empty ones are taken as they are', async () => {
    const { leg, caller } = await connectedCall();
    const heard = listen(leg);
    for (const length of [80, 240, 0, 480, 160])
      await caller.send(leg.port, new Uint8Array(length).fill(length & 0xff));
    await heard.until(960);
    expect(heard.all()).toHaveLength(960);
  });

  test('voice activity of the caller is told with its place in the audio', async () => {
    const { leg, caller, event } = await connectedCall();
    await caller.sendAtOnce(leg.port, mulawTone(300, 8000));
    const started = await event('speech_started');
    expect(started).toMatchObject({ type: 'speech_started' });
    const stopped = await event('speech_stopped');
    expect(stopped).toMatchObject({ audioMs: 1000 });
  });
});

describe('tones', () => {
  const beep = [silence(600), sine([1_000], 400), silence(600)].flatMap((part) => [...part]);
  const codes = new Uint8Array(beep.length);
  encodeMulaw(Int16Array.from(beep), 0, beep.length, codes);
  const packets = Array.from({ length: codes.length / 160 }, (_, i) => codes.subarray(i * 160, (i + 1) * 160));

  test('a beep is told with its place in the audio while tones are asked for, and not before or after', async () => {
    const { leg, caller, event, events } = await connectedCall();
    const heard = listen(leg);
    const send = async () => {
      for (const packet of packets) await caller.send(leg.port, packet);
    };
    await send();
    await heard.until(codes.length);
    leg.audio.listenForTones(true);
    // Orders and packets take two ways into the worker: the answer to the pause has come after the one before it.
    leg.audio.pause();
    await event('paused');
    await send();
    expect(await event('tone')).toMatchObject({ type: 'tone', kind: 'beep', frequencyHz: 1_000 });
    const [tone] = events.filter(({ type }) => type === 'tone');
    if (tone?.type !== 'tone') throw new Error('no tone was told');
    expect(Math.abs(tone.startMs - 2_200)).toBeLessThanOrEqual(15);
    expect(Math.abs(tone.endMs - 2_600)).toBeLessThanOrEqual(15);
    leg.audio.listenForTones(false);
    await send();
    await heard.until(3 * codes.length);
    expect(events.filter(({ type }) => type === 'tone')).toHaveLength(1);
  });

  test('a beep behind which no packet comes any more is told as well', async () => {
    const { leg, caller, event } = await connectedCall();
    leg.audio.listenForTones(true);
    leg.audio.pause();
    await event('paused');
    for (const packet of packets.slice(0, 50)) await caller.send(leg.port, packet);
    expect(await event('tone')).toMatchObject({ kind: 'beep' });
  });
});

describe('DTMF', () => {
  test('digits go out as events of 100 ms, each with three end packets and one timestamp', async () => {
    const { leg, caller } = await connectedCall();
    await caller.more(1);
    leg.audio.sendDtmf('5#');
    await caller.until(() => caller.packets.filter((one) => one.payloadType === 101).length === 14);
    await caller.more(8);
    const events = caller.packets.filter((one) => one.payloadType === 101);
    expect(events).toHaveLength(14);
    const [five, hash] = [events.slice(0, 7), events.slice(7)];
    for (const [digit, group] of [
      [5, five],
      [11, hash],
    ] as const) {
      expect(new Set(group.map((one) => one.timestamp)).size).toBe(1);
      expect(group.map((one) => one.payload[0])).toEqual(new Array(7).fill(digit));
      expect(group.map((one) => (one.payload[1] ?? 0) >> 7)).toEqual([0, 0, 0, 0, 1, 1, 1]);
      expect(group.at(-1)?.payload.slice(2)).toEqual(Uint8Array.of(800 >> 8, 800 & 0xff));
      expect(group.map((one) => one.marker)).toEqual([true, false, false, false, false, false, false]);
    }
  });

  test('a digit of the caller is told once, also without marker and with all its ends lost', async () => {
    const { leg, caller, events, event } = await connectedCall();
    const packet = (digit: number, end: boolean, duration: number) =>
      caller.send(leg.port, Uint8Array.of(digit, end ? 0x8a : 0x0a, duration >> 8, duration & 0xff), 101);
    for (const duration of [160, 320, 480]) await packet(7, false, duration);
    for (let i = 0; i < 3; i++) await packet(7, true, 640);
    caller.timestamp += 8000;
    await packet(1, false, 160);
    await event('dtmf');
    await caller.until(() => events.filter((one) => one.type === 'dtmf').length === 2);
    expect(events.filter((one) => one.type === 'dtmf')).toEqual([
      { type: 'dtmf', digit: '7', durationMs: 80 },
      { type: 'dtmf', digit: '1', durationMs: 20 },
    ]);
  });
});
