import { describe, expect, test } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../sip/rtp/g711.ts';
import { G722Decoder, G722Encoder } from '../../../sip/rtp/g722/g722.ts';
import { measureTone } from '../../caller/tone.ts';
import { mediaHarness, openLeg } from './media-harness.ts';
import type { RtpPeer } from './rtp-peer.ts';
import { tone, toneShare } from './tone.ts';

const { startPlane, peer } = mediaHarness(23_000);

type Law = 'pcmu' | 'pcma';
const TYPES = { pcmu: 0, pcma: 8 } as const;
const SECOND = 8_000;

async function twoLegs(nearLaw: Law = 'pcmu', farLaw: Law = 'pcmu') {
  const plane = startPlane({ workers: 2 });
  const [caller, desk] = await Promise.all([peer(), peer()]);
  const near = await openLeg(plane, { codec: nearLaw });
  const far = await openLeg(plane, { codec: farLaw, beside: near.leg });
  near.leg.configure(caller.session({ codec: nearLaw, payloadType: TYPES[nearLaw] }));
  far.leg.configure(desk.session({ codec: farLaw, payloadType: TYPES[farLaw] }));
  return { plane, caller, desk, near, far };
}

/** A tone for a second, in real time. */
async function say(from: RtpPeer, to: number, frequencyHz: number, law: Law): Promise<void> {
  const codes = new Uint8Array(SECOND);
  (law === 'pcmu' ? encodeMulaw : encodeAlaw)(tone(frequencyHz, SECOND), 0, SECOND, codes);
  for (let at = 0; at < SECOND; at += 160) {
    await from.send(to, codes.subarray(at, at + 160), TYPES[law]);
    // The leg's own packets are the clock: one comes each 20 ms.
    await from.more(1);
  }
}

function heard(by: RtpPeer, law: Law): Int16Array {
  const codes = by.audio(TYPES[law]);
  const samples = new Int16Array(codes.length);
  (law === 'pcmu' ? decodeMulaw : decodeAlaw)(codes, 0, codes.length, samples);
  const first = samples.findIndex((sample) => Math.abs(sample) > 1_000);
  return first === -1 ? new Int16Array(0) : samples.subarray(first + 800, first + 6_400);
}

/** Of stretches of 100 ms the median, for a packet that comes late shifts the phase of what follows. */
function share(samples: Int16Array, frequencyHz: number): number {
  const shares = Array.from({ length: Math.floor(samples.length / 800) }, (_, i) =>
    toneShare(samples.subarray(i * 800, (i + 1) * 800), frequencyHz),
  );
  return shares.sort((a, b) => a - b)[shares.length >> 1] ?? 0;
}

describe('two legs that hear each other', () => {
  test.each([
    ['pcmu', 'pcmu'],
    ['pcma', 'pcma'],
    ['pcmu', 'pcma'],
  ] as const)('%s to %s: each side hears the other’s tone and not its own', async (nearLaw, farLaw) => {
    const { caller, desk, near, far } = await twoLegs(nearLaw, farLaw);
    near.leg.hear(far.leg);
    far.leg.hear(near.leg);
    await Promise.all([say(caller, near.leg.port, 440, nearLaw), say(desk, far.leg.port, 1_000, farLaw)]);
    await caller.more(10);
    expect(share(heard(caller, nearLaw), 1_000)).toBeGreaterThan(0.95);
    expect(share(heard(caller, nearLaw), 440)).toBeLessThan(0.01);
    expect(share(heard(desk, farLaw), 440)).toBeGreaterThan(0.95);
    expect(share(heard(desk, farLaw), 1_000)).toBeLessThan(0.01);
  });

  test('G.722 to packets of 30 ms in G.711, and back: each tone at its own pitch, without a gap', async () => {
    const plane = startPlane();
    const [caller, desk] = await Promise.all([peer(), peer()]);
    const near = await openLeg(plane, { codec: 'g722' });
    const far = await openLeg(plane, { codec: 'pcmu', beside: near.leg });
    near.leg.configure(caller.session({ codec: 'g722', payloadType: 9 }));
    far.leg.configure(desk.session({ codec: 'pcma', payloadType: 8, packetMs: 30 }));
    near.leg.hear(far.leg);
    far.leg.hear(near.leg);
    const wide = new Uint8Array(SECOND);
    new G722Encoder().encode(tone(440, 2 * SECOND, 16_000), 0, 2 * SECOND, wide);
    const narrow = new Uint8Array(SECOND);
    encodeAlaw(tone(1_000, SECOND), 0, SECOND, narrow);
    for (let at = 0; at < SECOND; at += 160) {
      await caller.send(near.leg.port, wide.subarray(at, at + 160), 9);
      caller.timestamp += 160;
      await desk.send(far.leg.port, narrow.subarray(at, at + 160), 8);
      await caller.more(1);
    }
    await caller.more(10);
    expect(new Set(desk.packets.map(({ payload }) => payload.length))).toEqual(new Set([240]));
    expect(share(heard(desk, 'pcma'), 440)).toBeGreaterThan(0.95);
    expect(share(heard(desk, 'pcma'), 1_000)).toBeLessThan(0.01);
    const codes = caller.audio(9);
    const samples = new Int16Array(2 * codes.length);
    new G722Decoder().decode(codes, 0, codes.length, samples);
    const loud = samples.findIndex((sample) => Math.abs(sample) > 1_000) + 1_600;
    const atCaller = measureTone(samples.slice(loud, loud + 1_600), 1_000, 16_000);
    expect(atCaller.share).toBeGreaterThan(0.95);
  });

  test('a key goes across as an event of its own, both ways', async () => {
    const { caller, desk, near, far } = await twoLegs();
    near.leg.hear(far.leg);
    far.leg.hear(near.leg);
    await Promise.all([caller.more(2), desk.more(2)]);
    const press = async (from: RtpPeer, to: number, digit: number) => {
      for (const [end, duration] of [
        [0x0a, 160],
        [0x0a, 640],
        [0x8a, 800],
        [0x8a, 800],
      ] as const) {
        await from.send(to, Uint8Array.of(digit, end, duration >> 8, duration & 0xff), 101);
      }
    };
    await Promise.all([press(caller, near.leg.port, 4), press(desk, far.leg.port, 9)]);
    const events = (at: RtpPeer) => at.packets.filter(({ payloadType }) => payloadType === 101);
    await Promise.all([caller.until(() => events(caller).length === 7), desk.until(() => events(desk).length === 7)]);
    expect(new Set(events(desk).map(({ payload }) => payload[0]))).toEqual(new Set([4]));
    expect(new Set(events(caller).map(({ payload }) => payload[0]))).toEqual(new Set([9]));
    expect(near.events).toContainEqual(expect.objectContaining({ type: 'dtmf', digit: '4' }));
  });

  test('the agent is not heard meanwhile, and again afterwards', async () => {
    const { caller, near, far } = await twoLegs();
    near.leg.hear(far.leg);
    await caller.more(3);
    const spoken = tone(700, SECOND);
    near.leg.play(0, 0, { encoding: 'linear16', sampleRateHz: 8_000 }, new Uint8Array(spoken.buffer));
    near.leg.endSegment(0, 0);
    await caller.more(20);
    expect(heard(caller, 'pcmu')).toHaveLength(0);
    near.leg.hear('agent');
    await near.event('segment_ended');
    await caller.more(2);
    expect(share(heard(caller, 'pcmu'), 700)).toBeGreaterThan(0.97);
  });

  test('where one is closed the other goes on in silence', async () => {
    const { caller, desk, near, far } = await twoLegs();
    near.leg.hear(far.leg);
    far.leg.hear(near.leg);
    await say(desk, far.leg.port, 1_000, 'pcmu');
    far.leg.close();
    await far.leg.recorded;
    await caller.more(20);
    const last = new Int16Array(800);
    decodeMulaw(caller.audio(), caller.audio().length - 800, 800, last);
    expect(Math.max(...last)).toBeLessThan(50);
    near.leg.hear('agent');
    await caller.more(5);
  });

  test('go on hearing each other in the next worker', async () => {
    const { plane, caller, desk, near, far } = await twoLegs();
    near.leg.hear(far.leg);
    far.leg.hear(near.leg);
    await caller.more(3);
    const busy = plane.workers.filter(({ calls }) => calls > 0);
    expect(busy.map(({ calls }) => calls)).toEqual([2]);
    const ssrcs = [caller.packets.at(-1)?.ssrc, desk.packets.at(-1)?.ssrc];
    await busy[0]?.kill();
    await caller.until(() => caller.packets.at(-1)?.ssrc !== ssrcs[0]);
    await desk.until(() => desk.packets.at(-1)?.ssrc !== ssrcs[1]);
    await Promise.all([say(caller, near.leg.port, 440, 'pcmu'), say(desk, far.leg.port, 1_000, 'pcmu')]);
    expect(share(heard(caller, 'pcmu'), 1_000)).toBeGreaterThan(0.9);
    expect(share(heard(desk, 'pcmu'), 440)).toBeGreaterThan(0.9);
  });
});

test.each(['pcmu', 'pcma'] as const)('a ringing tone over %s is 425 Hz, a second long', async (law) => {
  const { caller, near } = await twoLegs(law);
  near.leg.hear('ringback');
  await caller.more(70);
  const samples = heard(caller, law);
  expect(share(samples, 425)).toBeGreaterThan(0.99);
  const codes = caller.audio(TYPES[law]);
  const silence = law === 'pcmu' ? 0xff : 0xd5;
  expect(new Set(codes.subarray(-160))).toEqual(new Set([silence]));
});
