import { describe, expect, test } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../../base/audio/g711.ts';
import { arrivalsIn } from '../../../../bench/jitter-buffer/network.ts';
import { G722Decoder, G722Encoder } from '../../../../sip/rtp/codecs/g722/g722.ts';
import type { RtpPeer } from '../../../rtp-peer/rtp-peer.ts';
import { allOnce, type RtpSpeech, speak } from '../../../rtp-peer/rtp-speech.ts';
import { measureTone } from '../../../rtp-peer/tone.ts';
import { mediaHarness, openLeg } from '../media-harness.ts';
import { tone, toneShare } from '../tone.ts';

const { startMediaService, peer } = mediaHarness(23_000);

type Law = 'pcmu' | 'pcma';
const TYPES = { pcmu: 0, pcma: 8 } as const;
const SECOND = 8_000;
/** In bad weather, at most: half a minute. */
const FRAMES_MAX = 1_500;
/** 6 kHz at 16 kHz: a period of three is eight samples long. */
const HIGH = Array.from({ length: 8 }, (_, i) => 4_000 * Math.sin((2 * Math.PI * 6_000 * i) / 16_000));

async function twoLegs(nearLaw: Law = 'pcmu', farLaw: Law = 'pcmu') {
  const mediaService = startMediaService({ workers: 2 });
  const [caller, desk] = await Promise.all([peer(), peer()]);
  const near = await openLeg(mediaService, { codec: nearLaw });
  const far = await openLeg(mediaService, { codec: farLaw, beside: near.leg });
  near.leg.configure(caller.session({ codec: nearLaw, payloadType: TYPES[nearLaw] }));
  far.leg.configure(desk.session({ codec: farLaw, payloadType: TYPES[farLaw] }));
  return { mediaService, caller, desk, near, far };
}

/** A second of sound in the codes of the wire, over and over. */
function repeated(to: number, codes: Uint8Array, payloadType: number): RtpSpeech {
  const frame = (index: number) => {
    const at = (index * 160) % codes.length;
    return codes.subarray(at, at + 160);
  };
  return { to, payloadType, units: 160, frame };
}

function say(from: RtpPeer, to: number, frequencyHz: number, law: Law, isHeard: () => boolean): Promise<void> {
  const codes = new Uint8Array(SECOND);
  (law === 'pcmu' ? encodeMulaw : encodeAlaw)(tone(frequencyHz, SECOND), 0, SECOND, codes);
  return speak(from, repeated(to, codes, TYPES[law]), isHeard);
}

function heard(by: RtpPeer, law: Law): Int16Array {
  const codes = by.audio(TYPES[law]);
  const samples = new Int16Array(codes.length);
  (law === 'pcmu' ? decodeMulaw : decodeAlaw)(codes, 0, codes.length, samples);
  return samples;
}

function heardWide(by: RtpPeer): Int16Array {
  // A decoder that begins in the middle is in step after some samples.
  const codes = by.audio(9).subarray(-3 * SECOND);
  const samples = new Int16Array(2 * codes.length);
  new G722Decoder().decode(codes, 0, codes.length, samples);
  return samples;
}

/** Tenths of a second from the first loud sample on, the first of them left out. */
function tenths(samples: Int16Array, rateHz = 8_000): Int16Array[] {
  const first = samples.findIndex((sample) => Math.abs(sample) > 1_000);
  const length = rateHz / 10;
  const count = first === -1 ? 0 : Math.max(0, Math.floor((samples.length - first) / length) - 1);
  return Array.from({ length: count }, (_, i) => samples.subarray(first + (i + 1) * length, first + (i + 2) * length));
}

/** Those of them that are this tone and nothing else: one in which a packet came late, or a gap was concealed, is none. */
function pure(samples: Int16Array, frequencyHz: number, rateHz = 8_000): number {
  return tenths(lately(samples, rateHz), rateHz).filter((one) => measureTone(one, frequencyHz, rateHz).share > 0.95)
    .length;
}

/** Those that this tone is heard in at all. */
function touched(samples: Int16Array, frequencyHz: number): number {
  return tenths(samples).filter((one) => toneShare(one, frequencyHz) > 0.5).length;
}

/** What was heard last: what there is to look at does not grow with the time that a busy machine takes. */
function lately(samples: Int16Array, rateHz = 8_000): Int16Array {
  return samples.subarray(-2 * rateHz);
}

/** So many pure tenths are enough: half a second. */
const ENOUGH = 5;

describe('two legs that hear each other', () => {
  test.each([
    ['pcmu', 'pcmu'],
    ['pcma', 'pcma'],
    ['pcmu', 'pcma'],
  ] as const)('%s to %s: each side hears the other’s tone and not its own', async (nearLaw, farLaw) => {
    const { caller, desk, near, far } = await twoLegs(nearLaw, farLaw);
    near.leg.setPlaybackSource(far.leg);
    far.leg.setPlaybackSource(near.leg);
    const isHeard = allOnce(
      () => pure(heard(caller, nearLaw), 1_000) >= ENOUGH,
      () => pure(heard(desk, farLaw), 440) >= ENOUGH,
    );
    await Promise.all([
      say(caller, near.leg.port, 440, nearLaw, isHeard),
      say(desk, far.leg.port, 1_000, farLaw, isHeard),
    ]);
    expect(touched(heard(caller, nearLaw), 440)).toBe(0);
    expect(touched(heard(desk, farLaw), 1_000)).toBe(0);
  });

  test('G.722 to packets of 30 ms in G.711, and back: each tone at its own pitch, without a gap', async () => {
    const mediaService = startMediaService();
    const [caller, desk] = await Promise.all([peer(), peer()]);
    const near = await openLeg(mediaService, { codec: 'g722' });
    const far = await openLeg(mediaService, { codec: 'pcmu', beside: near.leg });
    near.leg.configure(caller.session({ codec: 'g722', payloadType: 9 }));
    far.leg.configure(desk.session({ codec: 'pcma', payloadType: 8, packetMs: 30 }));
    near.leg.setPlaybackSource(far.leg);
    far.leg.setPlaybackSource(near.leg);
    const wide = new Uint8Array(SECOND);
    new G722Encoder().encode(tone(440, 2 * SECOND, 16_000), 0, 2 * SECOND, wide);
    const narrow = new Uint8Array(SECOND);
    encodeAlaw(tone(1_000, SECOND), 0, SECOND, narrow);
    const isHeard = allOnce(
      () => pure(heard(desk, 'pcma'), 440) >= ENOUGH,
      () => pure(heardWide(caller), 1_000, 16_000) >= ENOUGH,
    );
    await Promise.all([
      speak(caller, repeated(near.leg.port, wide, 9), isHeard),
      speak(desk, repeated(far.leg.port, narrow, 8), isHeard),
    ]);
    expect(new Set(desk.packets.map(({ payload }) => payload.length))).toEqual(new Set([240]));
    expect(touched(heard(desk, 'pcma'), 1_000)).toBe(0);
  });

  test('both in wideband hear each other above 4 kHz too, and below it once one of them goes on in G.711', async () => {
    const mediaService = startMediaService();
    const [caller, desk] = await Promise.all([peer(), peer()]);
    const near = await openLeg(mediaService, { codec: 'g722' });
    const far = await openLeg(mediaService, { codec: 'g722', beside: near.leg });
    near.leg.configure(caller.session({ codec: 'g722', payloadType: 9 }));
    far.leg.configure(desk.session({ codec: 'g722', payloadType: 9, packetMs: 30 }));
    far.leg.setPlaybackSource(near.leg);
    const wide = new Uint8Array(SECOND);
    const samples = tone(440, 2 * SECOND, 16_000).map((sample, i) => sample / 2 + (HIGH[i % HIGH.length] ?? 0));
    new G722Encoder().encode(samples, 0, 2 * SECOND, wide);
    // Both parts of it, in their own places, and nothing else.
    const isWide = (piece: Int16Array) => {
      const [high, low] = [6_000, 440].map((hz) => measureTone(piece, hz, 16_000).share);
      return high !== undefined && low !== undefined && high > 0.15 && low > 0.5 && high + low > 0.9;
    };
    await speak(
      caller,
      repeated(near.leg.port, wide, 9),
      () => tenths(lately(heardWide(desk), 16_000), 16_000).filter(isWide).length >= ENOUGH,
    );

    far.leg.configure(desk.session({ codec: 'pcmu', payloadType: 0 }));
    // Pure: nothing of the high tone is left, nor folded down to 2 kHz.
    await speak(caller, repeated(near.leg.port, wide, 9), () => pure(heard(desk, 'pcmu'), 440) >= ENOUGH);
    expect(touched(heard(desk, 'pcmu'), 2_000)).toBe(0);
  });

  test('in bad weather, a tenth lost, the rest up to 60 ms late and some of it doubled, the tone still goes across', async () => {
    const { caller, desk, near, far } = await twoLegs();
    far.leg.setPlaybackSource(near.leg);
    await caller.more(2);
    const codes = new Uint8Array(SECOND);
    encodeMulaw(tone(500, SECOND), 0, SECOND, codes);
    const weather = { lossShare: 0.1, jitterMs: 60, duplicateShare: 0.1, seed: 5 };
    const arrivals = arrivalsIn(weather, FRAMES_MAX, 20);
    const { sequence, timestamp } = caller;
    const spoken = () => {
      const codes = desk.audio();
      const samples = new Int16Array(codes.length);
      decodeMulaw(codes, 0, codes.length, samples);
      return samples;
    };
    const isLoud = (sample: number) => Math.abs(sample) > 1_000;
    // A lost frame is made up in phase with the tone: of a second and a half without a stall of this machine, all but a few.
    const isGood = () => {
      const samples = spoken();
      const start = samples.findIndex(isLoud) + 1_600;
      const frames = Array.from({ length: Math.max(0, Math.floor((samples.length - start) / 160)) }, (_, i) =>
        toneShare(samples.subarray(start + i * 160, start + (i + 1) * 160), 500) > 0.9 ? 1 : 0,
      );
      const goodFrom = (at: number) => frames.slice(at, at + 75).reduce<number>((sum, one) => sum + one, 0);
      return frames.some((_, at) => at % 5 === 0 && at + 75 <= frames.length && goodFrom(at) > 65);
    };
    let [said, lateMs, lastMs] = [0, 0, performance.now()];
    for (; said < FRAMES_MAX && (said % 25 !== 0 || !isGood()); said++) {
      for (const { index } of arrivals.splice(0, arrivals.filter(({ atMs }) => atMs <= said * 20).length)) {
        caller.sequence = sequence + index;
        caller.timestamp = timestamp + index * 160;
        await caller.send(near.leg.port, codes.subarray((index % 50) * 160, (index % 50) * 160 + 160));
      }
      await caller.more(1);
      lateMs += Math.max(0, performance.now() - lastMs - 40);
      lastMs = performance.now();
    }
    expect(isGood()).toBe(true);
    await desk.until(() => !spoken().subarray(-800).some(isLoud));
    // Nothing is heard twice, nothing in another place.
    const samples = spoken();
    const length = samples.findLastIndex(isLoud) - samples.findIndex(isLoud);
    expect(Math.abs(length - said * 160)).toBeLessThan(10 * 160 + lateMs * 8);
  });

  test('a key goes across as an event of its own, both ways', async () => {
    const { caller, desk, near, far } = await twoLegs();
    near.leg.setPlaybackSource(far.leg);
    far.leg.setPlaybackSource(near.leg);
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

  test('the agent is muted while bridged, and audible afterwards', async () => {
    const { caller, near, far } = await twoLegs();
    near.leg.setPlaybackSource(far.leg);
    await caller.more(3);
    const spoken = tone(700, SECOND);
    near.leg.audio.play(0, 0, { encoding: 'linear16', sampleRateHz: 8_000 }, new Uint8Array(spoken.buffer));
    near.leg.audio.endSegment(0, 0);
    await caller.more(20);
    expect(tenths(heard(caller, 'pcmu'))).toHaveLength(0);
    near.leg.setPlaybackSource('agent');
    await near.event('segment_ended');
    await caller.until(() => pure(heard(caller, 'pcmu'), 700) >= 8);
  });

  test('where one is closed the other goes on in silence', async () => {
    const { caller, desk, near, far } = await twoLegs();
    near.leg.setPlaybackSource(far.leg);
    far.leg.setPlaybackSource(near.leg);
    await say(desk, far.leg.port, 1_000, 'pcmu', () => pure(heard(caller, 'pcmu'), 1_000) > 0);
    far.leg.close();
    await far.leg.recorded;
    await caller.until(
      () =>
        !heard(caller, 'pcmu')
          .subarray(-800)
          .some((sample) => Math.abs(sample) > 50),
    );
    const silentFrom = caller.packets.length;
    await caller.more(5);
    expect(
      heard(caller, 'pcmu')
        .subarray(silentFrom * 160)
        .some((sample) => Math.abs(sample) > 50),
    ).toBe(false);
    near.leg.setPlaybackSource('agent');
    await caller.more(5);
  });

  test('go on hearing each other in the next worker', async () => {
    const { mediaService, caller, desk, near, far } = await twoLegs();
    near.leg.setPlaybackSource(far.leg);
    far.leg.setPlaybackSource(near.leg);
    await caller.more(3);
    const busy = mediaService.workers.filter(({ calls }) => calls > 0);
    expect(busy.map(({ calls }) => calls)).toEqual([2]);
    const ssrcs = [caller.packets.at(-1)?.ssrc, desk.packets.at(-1)?.ssrc];
    await busy[0]?.kill();
    await caller.until(() => caller.packets.at(-1)?.ssrc !== ssrcs[0]);
    await desk.until(() => desk.packets.at(-1)?.ssrc !== ssrcs[1]);
    const isHeard = allOnce(
      () => pure(heard(caller, 'pcmu'), 1_000) >= ENOUGH,
      () => pure(heard(desk, 'pcmu'), 440) >= ENOUGH,
    );
    await Promise.all([
      say(caller, near.leg.port, 440, 'pcmu', isHeard),
      say(desk, far.leg.port, 1_000, 'pcmu', isHeard),
    ]);
  });
});

/** Lengths of the rings in samples. More than one was heard where a stall broke the first. */
function rings(samples: Int16Array): number[] {
  const lengths: number[] = [];
  let [first, last] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  samples.forEach((sample, at) => {
    if (Math.abs(sample) <= 1_000) return;
    if (at - last > SECOND) {
      first = at;
      lengths.push(0);
    }
    last = at;
    lengths[lengths.length - 1] = last - first;
  });
  return lengths;
}

test.each(['pcmu', 'pcma'] as const)('a ringing tone over %s is 425 Hz, a second long', async (law) => {
  const { caller, near } = await twoLegs(law);
  near.leg.setPlaybackSource('ringback');
  const codes = () => caller.audio(TYPES[law]);
  const silence = law === 'pcmu' ? 0xff : 0xd5;
  const isOver = () =>
    pure(heard(caller, law), 425) >= ENOUGH &&
    codes()
      .subarray(-160)
      .every((code) => code === silence);
  await caller.until(isOver);
  expect(Math.max(...rings(heard(caller, law)))).toBeLessThan(SECOND + 160);
});
