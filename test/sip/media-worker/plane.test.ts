import { afterEach, describe, expect, test } from 'vitest';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import type { MediaLeg, MediaLegOptions } from '../../../sip/media-worker/media-plane.ts';
import { createMediaPlane, type WorkerMediaPlane } from '../../../sip/media-worker/plane.ts';
import { decodeMulaw, encodeMulaw } from '../../../sip/rtp/g711.ts';
import { RtpPeer, voicedBytes } from './rtp-peer.ts';
import { tone, toneShare } from './tone.ts';

const PORTS = { first: 20_000 + (process.pid % 50) * 40, last: 20_000 + (process.pid % 50) * 40 + 2_000 };
const MULAW = { encoding: 'mulaw', sampleRateHz: 8000 } as const;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function startPlane(): WorkerMediaPlane {
  const plane = createMediaPlane({ ports: PORTS, workers: 1 });
  closing.push(() => plane.close());
  return plane;
}

async function peer(address?: string): Promise<RtpPeer> {
  const one = await RtpPeer.open(address);
  closing.push(() => one.close());
  return one;
}

/** A leg whose events are kept and can be waited for. */
async function openLeg(plane: WorkerMediaPlane, changes: Partial<MediaLegOptions> = {}) {
  const leg = await plane.open({ callId: 'test', mediaTimeoutMs: 60_000, ...changes });
  const events: MediaEvent[] = [];
  const waiting = new Set<() => void>();
  leg.onEvent((event) => {
    events.push(event);
    for (const look of waiting) look();
  });
  const event = (type: MediaEvent['type']): Promise<MediaEvent> =>
    new Promise((resolve) => {
      const look = () => {
        const found = events.find((one) => one.type === type);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { leg, events, event };
}

async function connectedCall(changes: Partial<MediaLegOptions> = {}) {
  const plane = startPlane();
  const [caller, opened] = await Promise.all([peer(), openLeg(plane, changes)]);
  opened.leg.configure(caller.session());
  return { plane, caller, ...opened };
}

/** Collects what the leg's listener is given, and lets tests wait for so many bytes. */
function listen(leg: MediaLeg) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let look = () => undefined;
  leg.onAudio((_, audio) => {
    chunks.push(audio);
    bytes += audio.length;
    look();
  });
  return {
    all: () => Uint8Array.from(Buffer.concat(chunks)),
    until: (count: number) =>
      new Promise<void>((resolve) => {
        look = () => {
          if (bytes >= count) resolve();
        };
        look();
      }),
  };
}

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
    const { leg, caller } = await connectedCall();
    await caller.more(10);
    expect(leg.port % 2).toBe(0);
    const [first, ...others] = caller.packets;
    expect(first).toMatchObject({ marker: true, payloadType: 0, port: leg.port });
    others.forEach((packet, i) => {
      expect(packet.sequence).toBe(((first?.sequence ?? 0) + i + 1) & 0xffff);
      expect(packet.timestamp).toBe(((first?.timestamp ?? 0) + (i + 1) * 160) >>> 0);
      expect(packet).toMatchObject({ marker: false, ssrc: first?.ssrc });
    });
    expect(caller.audio()).toEqual(Buffer.alloc(caller.packets.length * 160, 0xff));
  });

  test('an A-law call is silent with A-law silence', async () => {
    const plane = startPlane();
    const caller = await peer();
    const { leg } = await openLeg(plane);
    leg.configure(caller.session({ codec: 'pcma', payloadType: 8 }));
    await caller.more(2);
    expect(leg.format).toEqual({ encoding: 'alaw', sampleRateHz: 8000 });
    expect(new Set(caller.audio(8))).toEqual(new Set([0xd5]));
  });

  test("each side hears the other's tone and not its own", async () => {
    const { leg, caller, event } = await connectedCall();
    const heard = listen(leg);
    const spoken = tone(1000, 24_000, 24_000);
    leg.play(0, 0, { encoding: 'linear16', sampleRateHz: 24_000 }, new Uint8Array(spoken.buffer));
    leg.endSegment(0, 0);
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
    const { plane, leg, caller } = await connectedCall();
    for (let i = 0; i < 20; i++) await caller.send(leg.port, new Uint8Array(160).fill(i));
    while ((await plane.statistics()).packetsReceived < 20) await caller.more(1);
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
    const loud = mulawTone(300, 8000);
    for (let at = 0; at < loud.length; at += 160) await caller.send(leg.port, loud.subarray(at, at + 160));
    const started = await event('speech_started');
    expect(started).toMatchObject({ type: 'speech_started' });
    const stopped = await event('speech_stopped');
    expect(stopped).toMatchObject({ audioMs: 1000 });
  });
});

describe('playout on the wire', () => {
  test('pause stops it before the next packet, resume goes on at the very sample, and every sample is heard once', async () => {
    const { leg, caller, event } = await connectedCall();
    const audio = Uint8Array.from({ length: 8000 }, (_, i) => i % 200);
    leg.play(3, 0, MULAW, audio);
    leg.endSegment(3, 0);
    await caller.until(() => voicedBytes(caller.audio()) >= 1600);
    leg.pause();
    const paused = await event('paused');
    if (paused.type !== 'paused') throw new Error('no pause');
    const { playedMs } = paused;
    await caller.until(() => voicedBytes(caller.audio()) === playedMs * 8);
    await caller.more(5);
    expect(voicedBytes(caller.audio())).toBe(playedMs * 8);
    leg.resume();
    await event('segment_ended');
    await caller.until(() => voicedBytes(caller.audio()) === 8000);
    expect(Uint8Array.from(caller.audio().filter((code) => code !== 0xff))).toEqual(audio);
  });

  test('clear cuts at a sample that is told exactly, and nothing of that utterance follows', async () => {
    const { leg, caller, event, events } = await connectedCall();
    leg.play(1, 0, MULAW, new Uint8Array(40_000).fill(1));
    leg.endSegment(1, 0);
    await caller.until(() => voicedBytes(caller.audio()) >= 800);
    leg.clear(1);
    leg.play(1, 1, MULAW, new Uint8Array(800).fill(1));
    leg.play(2, 0, MULAW, new Uint8Array(800).fill(2));
    leg.endSegment(2, 0);
    const cleared = await event('cleared');
    await event('segment_ended');
    await caller.until(() => caller.audio().filter((code) => code === 2).length === 800);
    await caller.more(3);
    expect(cleared).toEqual({
      type: 'cleared',
      utterance: 1,
      playedMs: caller.audio().filter((code) => code === 1).length / 8,
    });
    expect(events.filter((one) => one.type === 'segment_ended')).toEqual([
      { type: 'segment_ended', utterance: 2, segment: 0, playedMs: 100 },
    ]);
  });

  test('a full queue refuses, and tells when there is room', async () => {
    const { leg, event } = await connectedCall();
    const drained = new Promise<void>((resolve) => leg.onDrained(resolve));
    expect(leg.play(1, 0, MULAW, new Uint8Array(67_000))).toBe(true);
    expect(leg.play(1, 0, MULAW, new Uint8Array(10))).toBe(false);
    leg.clear(1);
    await event('cleared');
    await drained;
    expect(leg.play(2, 0, MULAW, new Uint8Array(10))).toBe(true);
  });

  test.each(['inactive', 'recvonly'] as const)(
    'nothing is sent while the session is %s; the queue waits',
    async (direction) => {
      const { plane, leg, caller, event } = await connectedCall();
      await caller.more(2);
      leg.configure(caller.session({ direction }));
      leg.play(0, 0, MULAW, new Uint8Array(160).fill(5));
      leg.pause();
      await event('paused');
      const other = await openLeg(plane);
      const witness = await peer();
      other.leg.configure(witness.session());
      await witness.more(1);
      const count = caller.packets.length;
      await witness.more(10);
      expect(caller.packets).toHaveLength(count);
      leg.resume();
      leg.configure(caller.session());
      const before = caller.packets.length;
      await caller.until(() => voicedBytes(caller.audio()) === 160);
      expect(caller.packets[before]).toMatchObject({ marker: true });
    },
  );
});

describe('DTMF', () => {
  test('digits go out as events of 100 ms, each with three end packets and one timestamp', async () => {
    const { leg, caller } = await connectedCall();
    await caller.more(1);
    leg.sendDtmf('5#');
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

describe('what others send', () => {
  test("a stranger's packets are dropped, before and after the caller's first", async () => {
    const plane = startPlane();
    const [caller, stranger, { leg }] = await Promise.all([peer(), peer('127.0.0.9'), openLeg(plane)]);
    const heard = listen(leg);
    leg.configure(caller.session());
    for (let i = 0; i < 5; i++) await stranger.send(leg.port, new Uint8Array(160).fill(9));
    await caller.send(leg.port, new Uint8Array(160).fill(1));
    await heard.until(160);
    for (let i = 0; i < 5; i++) await stranger.send(leg.port, new Uint8Array(160).fill(9));
    await caller.send(leg.port, new Uint8Array(160).fill(1));
    await heard.until(320);
    expect(new Set(heard.all())).toEqual(new Set([1]));
    await caller.more(3);
    expect(stranger.packets).toEqual([]);
    expect((await plane.statistics()).packetsDropped).toBeGreaterThanOrEqual(5);
  });

  test('packets go to where the caller really sends from, and a caller behind a NAT is followed to a new port', async () => {
    const plane = startPlane();
    const [caller, moved, { leg }] = await Promise.all([peer(), peer(), openLeg(plane)]);
    const heard = listen(leg);
    leg.configure(caller.session({ remoteAddress: '192.0.2.1', remotePort: 9, allowedAddresses: ['127.0.0.1'] }));
    await caller.send(leg.port, new Uint8Array(160).fill(1));
    await caller.more(30);
    moved.ssrc = caller.ssrc;
    moved.sequence = caller.sequence;
    moved.timestamp = caller.timestamp;
    await moved.send(leg.port, new Uint8Array(160).fill(2));
    await moved.more(3);
    await heard.until(320);
    expect(heard.all()[319]).toBe(2);
  });

  test('random bytes on both ports cost nothing: the call goes on', async () => {
    const { leg, caller, events } = await connectedCall();
    const heard = listen(leg);
    let seed = 7;
    const random = () => {
      seed = (seed * 48_271) % 0x7fffffff;
      return seed;
    };
    for (let i = 0; i < 300; i++) {
      const bytes = Uint8Array.from({ length: random() % 300 }, () => random() & 0xff);
      // Half of them look like RTP or RTCP at first sight.
      if (i % 2 === 0 && bytes.length > 1) bytes.set([0x80, i % 4 === 0 ? 0 : 200]);
      await caller.sendRaw(leg.port + (i % 3 === 0 ? 1 : 0), bytes);
    }
    await caller.more(2);
    caller.ssrc = 0x9999;
    for (let i = 0; i < 10; i++) await caller.send(leg.port, new Uint8Array(160).fill(0x55));
    await heard.until(160);
    await caller.until(() => Buffer.from(heard.all()).includes(Buffer.alloc(160 * 4, 0x55)));
    expect(events.filter((event) => event.type === 'failed')).toEqual([]);
  });

  test('a caller whose port is closed (ECONNREFUSED) leaves the other calls alone, and may come back', async () => {
    const { plane, leg, caller, events } = await connectedCall();
    await caller.send(leg.port, new Uint8Array(160));
    await caller.more(3);
    const port = caller.port;
    caller.close();
    closing.splice(closing.length - 1, 1);
    const other = await openLeg(plane);
    const witness = await peer();
    other.leg.configure(witness.session());
    await witness.more(40);
    const back = await RtpPeer.open('127.0.0.1', port);
    closing.push(() => back.close());
    await back.more(5);
    expect(events).toEqual([]);
  });
});

describe('the life of a leg', () => {
  test('without packets it tells one timeout, after the time that was set', async () => {
    const { caller, events, event } = await connectedCall({ mediaTimeoutMs: 300 });
    await event('timeout');
    await caller.more(20);
    expect(events).toEqual([{ type: 'timeout' }]);
  });

  test.each(['sendonly', 'recvonly', 'inactive'] as const)(
    'the timeout waits while the session is %s',
    async (direction) => {
      const plane = startPlane();
      const [caller, witness, one, other] = await Promise.all([
        peer(),
        peer(),
        openLeg(plane, { mediaTimeoutMs: 100 }),
        openLeg(plane, { mediaTimeoutMs: 100 }),
      ]);
      one.leg.configure(caller.session({ direction }));
      other.leg.configure(witness.session());
      await other.event('timeout');
      await witness.more(10);
      expect(one.events).toEqual([]);
      one.leg.configure(caller.session());
      await one.event('timeout');
    },
  );

  test('close frees port and slot at once and silences everything', async () => {
    const { plane, leg, caller, events } = await connectedCall();
    await caller.more(2);
    leg.close();
    leg.close();
    expect(await leg.recorded).toEqual({ path: null, complete: true, durationMs: 0 });
    expect((await plane.statistics()).legs).toBe(0);
    expect(plane.workers[0]?.calls).toBe(0);
    expect(leg.play(0, 0, MULAW, new Uint8Array(100))).toBe(true);
    leg.clear(0);
    leg.pause();
    leg.sendDtmf('1');
    const again = await RtpPeer.open('127.0.0.1', leg.port);
    again.close();
    expect(events).toEqual([]);
  });

  test('a hundred legs one after another, in reused slots, hear only their own call', async () => {
    const plane = startPlane();
    const caller = await peer();
    for (let call = 0; call < 100; call++) {
      const leg = await plane.open({ callId: `${call}`, mediaTimeoutMs: 60_000 });
      leg.play(0, 0, MULAW, new Uint8Array(160).fill(call));
      leg.close();
      await leg.recorded;
    }
    const { leg } = await openLeg(plane);
    leg.configure(caller.session());
    await caller.more(3);
    expect(voicedBytes(caller.audio())).toBe(0);
    expect(plane.workers[0]?.calls).toBe(1);
  });

  test('a port that another holds is passed over; with none left the call is refused as no_port', async () => {
    const taken = await RtpPeer.open('127.0.0.1', 23_990);
    closing.push(() => taken.close());
    const plane = createMediaPlane({ ports: { first: 23_990, last: 23_993 }, workers: 1 });
    closing.push(() => plane.close());
    const leg = await plane.open({ callId: 'a', mediaTimeoutMs: 1000 });
    expect(leg.port).toBe(23_992);
    await expect(plane.open({ callId: 'b', mediaTimeoutMs: 1000 })).rejects.toMatchObject({ code: 'no_port' });
    leg.close();
    await leg.recorded;
    await plane.open({ callId: 'c', mediaTimeoutMs: 1000 });
  });

  test('admission refuses at the maximum, and again accepts when a call has ended', async () => {
    const plane = createMediaPlane({ ports: PORTS, workers: 1, maximumCalls: 1 });
    closing.push(() => plane.close());
    const leg = await plane.open({ callId: 'a', mediaTimeoutMs: 1000 });
    expect(plane.admission()).toMatchObject({ accepted: false });
    leg.close();
    await leg.recorded;
    expect(plane.admission()).toEqual({ accepted: true });
    await plane.close();
    expect(plane.admission()).toMatchObject({ accepted: false });
    await expect(plane.open({ callId: 'b', mediaTimeoutMs: 1000 })).rejects.toMatchObject({ code: 'closed' });
  });
});
