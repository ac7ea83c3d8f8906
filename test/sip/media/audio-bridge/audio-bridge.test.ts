import { describe, expect, it } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../../base/audio/g711.ts';
import { arrivalsIn } from '../../../../bench/jitter-buffer/network-conditions.ts';
import { G722Decoder, G722Encoder } from '../../../../sip/rtp/codecs/g722/g722.ts';
import type { RtpPeer } from '../../../rtp-peer/rtp-peer.ts';
import { allOnce, type RtpSpeech, speak } from '../../../rtp-peer/rtp-speech.ts';
import { measureTone, toneOfSamples } from '../../../rtp-peer/tone.ts';
import { terminateThread } from '../../../worker-threads.ts';
import { mediaHarness, openSession } from '../media-harness.ts';

const { startMediaService, peer } = mediaHarness(10_500);

type Law = 'pcmu' | 'pcma';
const TYPES = { pcmu: 0, pcma: 8 } as const;
const SECOND = 8_000;
/** Bound of the test with packet loss: half a minute. */
const FRAMES_MAX = 1_500;
/** 6 kHz at a rate of 16 kHz: eight samples hold three periods. */
const SIX_KHZ_SAMPLES = Array.from({ length: 8 }, (_, i) => 4_000 * Math.sin((2 * Math.PI * 6_000 * i) / 16_000));

async function twoSessions(nearLaw: Law = 'pcmu', farLaw: Law = 'pcmu') {
  const mediaService = startMediaService({ workers: 2 });
  const [caller, desk] = await Promise.all([peer(), peer()]);
  const near = await openSession(mediaService, { codec: nearLaw });
  const far = await openSession(mediaService, { codec: farLaw, beside: near.session });
  near.session.configure(caller.session({ codec: nearLaw, payloadType: TYPES[nearLaw] }));
  far.session.configure(desk.session({ codec: farLaw, payloadType: TYPES[farLaw] }));
  return { mediaService, caller, desk, near, far };
}

/** Speech that repeats one second of encoded audio. */
function repeatedSpeech(to: number, codes: Uint8Array, payloadType: number): RtpSpeech {
  const frame = (index: number) => {
    const at = (index * 160) % codes.length;
    return codes.subarray(at, at + 160);
  };
  return { to, payloadType, units: 160, frame };
}

function sayTone(from: RtpPeer, to: number, frequencyHz: number, law: Law, isHeard: () => boolean): Promise<void> {
  const codes = new Uint8Array(SECOND);
  (law === 'pcmu' ? encodeMulaw : encodeAlaw)(toneOfSamples(frequencyHz, SECOND), 0, SECOND, codes);
  return speak(from, repeatedSpeech(to, codes, TYPES[law]), isHeard);
}

function samplesHeardBy(peer: RtpPeer, law: Law): Int16Array {
  const codes = peer.audio(TYPES[law]);
  const samples = new Int16Array(codes.length);
  (law === 'pcmu' ? decodeMulaw : decodeAlaw)(codes, 0, codes.length, samples);
  return samples;
}

function widebandSamplesHeardBy(peer: RtpPeer): Int16Array {
  // A decoder that starts in the middle of a G.722 stream converges after a few samples.
  const codes = peer.audio(9).subarray(-3 * SECOND);
  const samples = new Int16Array(2 * codes.length);
  new G722Decoder().decode(codes, 0, codes.length, samples);
  return samples;
}

/** Tenths of a second from the first loud sample on, without the first tenth. */
function tenths(samples: Int16Array, rateHz = 8_000): Int16Array[] {
  const first = samples.findIndex((sample) => Math.abs(sample) > 1_000);
  const length = rateHz / 10;
  const count = first === -1 ? 0 : Math.max(0, Math.floor((samples.length - first) / length) - 1);
  return Array.from({ length: count }, (_, i) => samples.subarray(first + (i + 1) * length, first + (i + 2) * length));
}

/** The number of recent tenths that are purely this tone. A late packet or a concealed gap makes a tenth impure. */
function pureTenths(samples: Int16Array, frequencyHz: number, rateHz = 8_000): number {
  return tenths(lastSeconds(samples, rateHz), rateHz).filter(
    (tenth) => measureTone(tenth, frequencyHz, rateHz).share > 0.95,
  ).length;
}

/** The number of tenths that contain this tone. */
function tenthsWithTone(samples: Int16Array, frequencyHz: number): number {
  return tenths(samples).filter((tenth) => measureTone(tenth, frequencyHz).share > 0.5).length;
}

/** The last two seconds. So the work of each check does not grow when a busy machine makes the test longer. */
function lastSeconds(samples: Int16Array, rateHz = 8_000): Int16Array {
  return samples.subarray(-2 * rateHz);
}

/** Half a second of pure tone proves that a peer is heard. */
const ENOUGH_TENTHS = 5;

describe('audio bridge between two sessions', () => {
  it.each([
    ['pcmu', 'pcmu'],
    ['pcma', 'pcma'],
    ['pcmu', 'pcma'],
  ] as const)('%s to %s: each peer hears the other peer’s tone and not its own', async (nearLaw, farLaw) => {
    const { caller, desk, near, far } = await twoSessions(nearLaw, farLaw);
    near.session.setPlaybackSource(far.session);
    far.session.setPlaybackSource(near.session);
    const isHeard = allOnce(
      () => pureTenths(samplesHeardBy(caller, nearLaw), 1_000) >= ENOUGH_TENTHS,
      () => pureTenths(samplesHeardBy(desk, farLaw), 440) >= ENOUGH_TENTHS,
    );
    await Promise.all([
      sayTone(caller, near.session.port, 440, nearLaw, isHeard),
      sayTone(desk, far.session.port, 1_000, farLaw, isHeard),
    ]);
    expect(tenthsWithTone(samplesHeardBy(caller, nearLaw), 440)).toBe(0);
    expect(tenthsWithTone(samplesHeardBy(desk, farLaw), 1_000)).toBe(0);
  });

  it('bridges G.722 to G.711 packets of 30 ms, and back, with correct pitch and without gaps', async () => {
    const mediaService = startMediaService();
    const [caller, desk] = await Promise.all([peer(), peer()]);
    const near = await openSession(mediaService, { codec: 'g722' });
    const far = await openSession(mediaService, { codec: 'pcmu', beside: near.session });
    near.session.configure(caller.session({ codec: 'g722', payloadType: 9 }));
    far.session.configure(desk.session({ codec: 'pcma', payloadType: 8, packetMs: 30 }));
    near.session.setPlaybackSource(far.session);
    far.session.setPlaybackSource(near.session);
    const wide = new Uint8Array(SECOND);
    new G722Encoder().encode(toneOfSamples(440, 2 * SECOND, 16_000), 0, 2 * SECOND, wide);
    const narrow = new Uint8Array(SECOND);
    encodeAlaw(toneOfSamples(1_000, SECOND), 0, SECOND, narrow);
    const isHeard = allOnce(
      () => pureTenths(samplesHeardBy(desk, 'pcma'), 440) >= ENOUGH_TENTHS,
      () => pureTenths(widebandSamplesHeardBy(caller), 1_000, 16_000) >= ENOUGH_TENTHS,
    );
    await Promise.all([
      speak(caller, repeatedSpeech(near.session.port, wide, 9), isHeard),
      speak(desk, repeatedSpeech(far.session.port, narrow, 8), isHeard),
    ]);
    expect(new Set(desk.packets.map(({ payload }) => payload.length))).toEqual(new Set([240]));
    expect(tenthsWithTone(samplesHeardBy(desk, 'pcma'), 1_000)).toBe(0);
  });

  it('carries audio above 4 kHz while both are wideband, and below it once one changes to G.711', async () => {
    const mediaService = startMediaService();
    const [caller, desk] = await Promise.all([peer(), peer()]);
    const near = await openSession(mediaService, { codec: 'g722' });
    const far = await openSession(mediaService, { codec: 'g722', beside: near.session });
    near.session.configure(caller.session({ codec: 'g722', payloadType: 9 }));
    far.session.configure(desk.session({ codec: 'g722', payloadType: 9, packetMs: 30 }));
    far.session.setPlaybackSource(near.session);
    const wide = new Uint8Array(SECOND);
    const samples = toneOfSamples(440, 2 * SECOND, 16_000).map(
      (sample, i) => sample / 2 + (SIX_KHZ_SAMPLES[i % SIX_KHZ_SAMPLES.length] ?? 0),
    );
    new G722Encoder().encode(samples, 0, 2 * SECOND, wide);
    // Both tones, and nothing else.
    const isWide = (piece: Int16Array) => {
      const [high, low] = [6_000, 440].map((hz) => measureTone(piece, hz, 16_000).share);
      return high !== undefined && low !== undefined && high > 0.15 && low > 0.5 && high + low > 0.9;
    };
    await speak(
      caller,
      repeatedSpeech(near.session.port, wide, 9),
      () => tenths(lastSeconds(widebandSamplesHeardBy(desk), 16_000), 16_000).filter(isWide).length >= ENOUGH_TENTHS,
    );

    far.session.configure(desk.session({ codec: 'pcmu', payloadType: 0 }));
    // The high tone is filtered out. Aliasing would fold it down to 2 kHz.
    await speak(
      caller,
      repeatedSpeech(near.session.port, wide, 9),
      () => pureTenths(samplesHeardBy(desk, 'pcmu'), 440) >= ENOUGH_TENTHS,
    );
    expect(tenthsWithTone(samplesHeardBy(desk, 'pcmu'), 2_000)).toBe(0);
  });

  it('carries a tone despite 10 % packet loss, 60 ms of jitter and duplicates', async () => {
    const { caller, desk, near, far } = await twoSessions();
    far.session.setPlaybackSource(near.session);
    await caller.more(2);
    const codes = new Uint8Array(SECOND);
    encodeMulaw(toneOfSamples(500, SECOND), 0, SECOND, codes);
    const network = { lossShare: 0.1, jitterMs: 60, duplicateShare: 0.1, seed: 5 };
    const arrivals = arrivalsIn(network, FRAMES_MAX, 20);
    const { sequence, timestamp } = caller;
    const samplesAtDesk = () => {
      const codes = desk.audio();
      const samples = new Int16Array(codes.length);
      decodeMulaw(codes, 0, codes.length, samples);
      return samples;
    };
    const isLoud = (sample: number) => Math.abs(sample) > 1_000;
    // Concealment continues the tone in phase. So nearly all frames of 1.5 s are pure, unless this machine stalls.
    const isToneIntact = () => {
      const samples = samplesAtDesk();
      const start = samples.findIndex(isLoud) + 1_600;
      const frames = Array.from({ length: Math.max(0, Math.floor((samples.length - start) / 160)) }, (_, i) =>
        measureTone(samples.subarray(start + i * 160, start + (i + 1) * 160), 500).share > 0.9 ? 1 : 0,
      );
      const pureFramesFrom = (at: number) => frames.slice(at, at + 75).reduce<number>((sum, pure) => sum + pure, 0);
      return frames.some((_, at) => at % 5 === 0 && at + 75 <= frames.length && pureFramesFrom(at) > 65);
    };
    let [framesSent, lateMs, lastMs] = [0, 0, performance.now()];
    for (; framesSent < FRAMES_MAX && (framesSent % 25 !== 0 || !isToneIntact()); framesSent++) {
      for (const { index } of arrivals.splice(0, arrivals.filter(({ atMs }) => atMs <= framesSent * 20).length)) {
        caller.sequence = sequence + index;
        caller.timestamp = timestamp + index * 160;
        await caller.send(near.session.port, codes.subarray((index % 50) * 160, (index % 50) * 160 + 160));
      }
      await caller.more(1);
      lateMs += Math.max(0, performance.now() - lastMs - 40);
      lastMs = performance.now();
    }
    expect(isToneIntact()).toBe(true);
    await desk.until(() => !samplesAtDesk().subarray(-800).some(isLoud));
    // No packet is played twice or at the wrong position.
    const samples = samplesAtDesk();
    const length = samples.findLastIndex(isLoud) - samples.findIndex(isLoud);
    expect(Math.abs(length - framesSent * 160)).toBeLessThan(10 * 160 + lateMs * 8);
  });

  it('relays DTMF digits as RTP events, both ways', async () => {
    const { caller, desk, near, far } = await twoSessions();
    near.session.setPlaybackSource(far.session);
    far.session.setPlaybackSource(near.session);
    await Promise.all([caller.more(2), desk.more(2)]);
    const sendDigit = async (from: RtpPeer, to: number, digit: number) => {
      for (const [end, duration] of [
        [0x0a, 160],
        [0x0a, 640],
        [0x8a, 800],
        [0x8a, 800],
      ] as const) {
        await from.send(to, Uint8Array.of(digit, end, duration >> 8, duration & 0xff), 101);
      }
    };
    await Promise.all([sendDigit(caller, near.session.port, 4), sendDigit(desk, far.session.port, 9)]);
    const events = (peer: RtpPeer) => peer.packets.filter(({ payloadType }) => payloadType === 101);
    await Promise.all([caller.until(() => events(caller).length === 7), desk.until(() => events(desk).length === 7)]);
    expect(new Set(events(desk).map(({ payload }) => payload[0]))).toEqual(new Set([4]));
    expect(new Set(events(caller).map(({ payload }) => payload[0]))).toEqual(new Set([9]));
    expect(near.events).toContainEqual(expect.objectContaining({ type: 'dtmf', digit: '4' }));
  });

  it('mutes the agent while bridged, and plays it afterwards', async () => {
    const { caller, near, far } = await twoSessions();
    near.session.setPlaybackSource(far.session);
    await caller.more(3);
    const spoken = toneOfSamples(700, SECOND);
    near.session.audio.play(0, 0, { encoding: 'linear16', sampleRateHz: 8_000 }, new Uint8Array(spoken.buffer));
    near.session.audio.endSegment(0, 0);
    await caller.more(20);
    expect(tenths(samplesHeardBy(caller, 'pcmu'))).toHaveLength(0);
    near.session.setPlaybackSource('agent');
    await near.event('segment_ended');
    await caller.until(() => pureTenths(samplesHeardBy(caller, 'pcmu'), 700) >= 8);
  });

  it('sends silence after the other session is closed', async () => {
    const { caller, desk, near, far } = await twoSessions();
    near.session.setPlaybackSource(far.session);
    far.session.setPlaybackSource(near.session);
    await sayTone(desk, far.session.port, 1_000, 'pcmu', () => pureTenths(samplesHeardBy(caller, 'pcmu'), 1_000) > 0);
    far.session.close();
    await far.session.recorded;
    await caller.until(
      () =>
        !samplesHeardBy(caller, 'pcmu')
          .subarray(-800)
          .some((sample) => Math.abs(sample) > 50),
    );
    const silentFrom = caller.packets.length;
    await caller.more(5);
    expect(
      samplesHeardBy(caller, 'pcmu')
        .subarray(silentFrom * 160)
        .some((sample) => Math.abs(sample) > 50),
    ).toBe(false);
    near.session.setPlaybackSource('agent');
    await caller.more(5);
  });

  it('continues in the next worker', async () => {
    const { mediaService, caller, desk, near, far } = await twoSessions();
    near.session.setPlaybackSource(far.session);
    far.session.setPlaybackSource(near.session);
    await caller.more(3);
    const busy = mediaService.workers.filter(({ calls }) => calls > 0);
    expect(busy.map(({ calls }) => calls)).toEqual([2]);
    const ssrcs = [caller.packets.at(-1)?.ssrc, desk.packets.at(-1)?.ssrc];
    await terminateThread(busy[0]?.threadId);
    await caller.until(() => caller.packets.at(-1)?.ssrc !== ssrcs[0]);
    await desk.until(() => desk.packets.at(-1)?.ssrc !== ssrcs[1]);
    const isHeard = allOnce(
      () => pureTenths(samplesHeardBy(caller, 'pcmu'), 1_000) >= ENOUGH_TENTHS,
      () => pureTenths(samplesHeardBy(desk, 'pcmu'), 440) >= ENOUGH_TENTHS,
    );
    await Promise.all([
      sayTone(caller, near.session.port, 440, 'pcmu', isHeard),
      sayTone(desk, far.session.port, 1_000, 'pcmu', isHeard),
    ]);
  });
});

/** Lengths of the rings, in samples. There are several if a stall of this machine interrupted the first. */
function ringLengths(samples: Int16Array): number[] {
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

it.each(['pcmu', 'pcma'] as const)('the ringing tone over %s is 425 Hz, one second long', async (law) => {
  const { caller, near } = await twoSessions(law);
  near.session.setPlaybackSource('ringback');
  const codes = () => caller.audio(TYPES[law]);
  const silence = law === 'pcmu' ? 0xff : 0xd5;
  const isOver = () =>
    pureTenths(samplesHeardBy(caller, law), 425) >= ENOUGH_TENTHS &&
    codes()
      .subarray(-160)
      .every((code) => code === silence);
  await caller.until(isOver);
  expect(Math.max(...ringLengths(samplesHeardBy(caller, law)))).toBeLessThan(SECOND + 160);
});
