import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrivalsIn, type NetworkConditions } from '../../../../bench/jitter-buffer/network-conditions.ts';
import { playOverNetwork } from '../../../../bench/jitter-buffer/played-stream.ts';
import {
  BRIDGE_DELAY,
  JitterBuffer,
  PLAYOUT_FRAME_SAMPLES,
  RECORDING_DELAY,
} from '../../../../sip/rtp/jitter-buffer/jitter-buffer.ts';

const FRAME = PLAYOUT_FRAME_SAMPLES;
const FRAME_MS = 20;
const HOUR_MS = 3_600_000;

const anyConditions: fc.Arbitrary<NetworkConditions> = fc.record({
  lossShare: fc.double({ min: 0, max: 0.4, noNaN: true }),
  burstPackets: fc.integer({ min: 1, max: 6 }),
  jitterMs: fc.integer({ min: 0, max: 150 }),
  duplicateShare: fc.double({ min: 0, max: 0.3, noNaN: true }),
  skewPpm: fc.integer({ min: -200, max: 200 }),
  seed: fc.nat(),
});

/**
 * Plays numbered frames after a simulated network: all samples of frame n are n + 1, so that none is 0. `fresh`: the
 * frames that the buffer accepted.
 */
function play(weather: NetworkConditions, bounds = BRIDGE_DELAY, packets = 400, start = 0) {
  const buffer = new JitterBuffer(bounds);
  const arrivals = arrivalsIn(weather, packets, FRAME_MS);
  const fresh = new Set<number>();
  const played: number[] = [];
  const audio = new Int16Array(FRAME);
  const frame = new Int16Array(FRAME);
  let next = 0;
  let silentEnd = 0;
  const end = packets * FRAME_MS + 1000;
  for (let nowMs = FRAME_MS / 2; nowMs < end; nowMs += FRAME_MS) {
    for (let arrival = arrivals[next]; arrival !== undefined && arrival.atMs <= nowMs; arrival = arrivals[++next]) {
      const frameNumber = arrival.index + 1;
      if (buffer.push((start + arrival.index * FRAME) >>> 0, audio.fill(frameNumber), FRAME)) fresh.add(frameNumber);
    }
    const real = buffer.pull(frame);
    if (real === FRAME) played.push(frame[0] ?? 0);
    else if (real > 0) for (const sample of new Set(frame)) played.push(sample);
    silentEnd = real === 0 ? silentEnd + 1 : 0;
  }
  return { buffer, arrivals, fresh, played, silentEnd };
}

describe('jitter buffer on a poor network', () => {
  it('plays every frame that arrives in time once and in order, and nothing else', () => {
    fc.assert(
      fc.property(anyConditions, fc.integer({ min: 0, max: 0xffff_ffff }), (weather, start) => {
        // Without clock skew, playout moves by whole frames, so no frame is split.
        const { buffer, played, fresh } = play({ ...weather, skewPpm: 0 }, BRIDGE_DELAY, 400, start);
        for (let i = 1; i < played.length; i++) expect(played[i]).toBeGreaterThanOrEqual(played[i - 1] ?? 0);
        const playedFrames = new Set(played);
        for (const frame of playedFrames) expect(fresh.has(frame)).toBe(true);
        // Frames that arrived in time but were not played were skipped, and are counted.
        const skipped = [...fresh].filter((frame) => !playedFrames.has(frame)).length;
        expect(skipped * FRAME).toBeLessThanOrEqual(buffer.skippedSamples);
        expect(buffer.resyncs).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  it('never waits longer than its bound, and is empty after the end of the stream', () => {
    fc.assert(
      fc.property(anyConditions, (weather) => {
        for (const bounds of [BRIDGE_DELAY, RECORDING_DELAY]) {
          const { buffer, silentEnd } = play(weather, bounds, 200);
          expect(buffer.delaySamples).toBeLessThanOrEqual(bounds.maximum);
          expect(buffer.delaySamples).toBeGreaterThanOrEqual(bounds.minimum);
          // One second follows the last packet. Buffered audio is played within the bound, the rest is silence.
          const bound = bounds.maximum / FRAME + weather.jitterMs / FRAME_MS;
          expect(silentEnd).toBeGreaterThanOrEqual(Math.floor(1000 / FRAME_MS - bound - 2));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('conceals the lost packets and hardly more, for any loss and jitter', { timeout: 30_000 }, () => {
    for (const lossShare of [0, 0.01, 0.05, 0.1, 0.2]) {
      for (const jitterMs of [0, 20, 60, 120]) {
        const { concealedShare, lateShare, delayP95Ms } = playOverNetwork(
          { lossShare, jitterMs, seed: 7 },
          BRIDGE_DELAY,
          60_000,
        );
        expect(concealedShare).toBeLessThan(lossShare * 1.2 + 0.002);
        expect(lateShare).toBe(0);
        expect(delayP95Ms).toBeLessThanOrEqual(jitterMs + 2 * FRAME_MS);
      }
    }
  });

  it.each([-200, 200])('keeps its delay for an hour with a clock skew of %d ppm', { timeout: 30_000 }, (skewPpm) => {
    const weather = { lossShare: 0, jitterMs: 30, skewPpm, seed: 3 };
    const { concealedShare, lateShare, delayP95Ms, resyncs } = playOverNetwork(weather, BRIDGE_DELAY, HOUR_MS);
    expect(resyncs).toBe(0);
    expect(lateShare).toBe(0);
    // 200 ppm of an hour are 0.72 s: 36 frames, inserted or skipped.
    expect(concealedShare).toBeLessThan(0.0005);
    expect(delayP95Ms).toBeLessThanOrEqual(90);
  });

  it('plays all packets of a network that stalls for 140 ms every 5 s, and conceals less after the first stall', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    const audio = new Int16Array(FRAME);
    const frame = new Int16Array(FRAME);
    const concealedFrames: number[] = [];
    let waiting: number[] = [];
    for (let n = 0; n < 1000; n++) {
      waiting.push(n);
      if (n % 250 < 243) {
        for (const index of waiting) buffer.push(index * FRAME, audio.fill(index + 1), FRAME);
        waiting = [];
      }
      buffer.pull(frame);
      if (n % 250 === 248) concealedFrames.push(buffer.concealedSamples / FRAME);
    }
    const [start = 0, first = 0, second = 0, third = 0] = concealedFrames;
    expect(start).toBeLessThanOrEqual(7);
    expect(first - start).toBeLessThan(start);
    expect(third - second).toBeLessThan(start);
    expect(buffer.late).toBe(0);
  });

  it('skips only quiet frames to shorten its delay', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    const frame = new Int16Array(FRAME);
    const played: number[] = [];
    // The network delayed the first eight packets, so all later ones are early by as much. Every sixth frame is quiet.
    const push = (n: number) => buffer.push(n * FRAME, new Int16Array(FRAME).fill(n % 6 === 0 ? 100 : 1000 + n), FRAME);
    for (let n = 0; n < 8; n++) push(n);
    for (let n = 8; n < 1500; n++) {
      push(n);
      if (buffer.pull(frame) === FRAME) played.push(frame[0] ?? 0);
    }
    expect(buffer.skippedSamples).toBe(9 * FRAME);
    const loud = Array.from({ length: 1480 }, (_, n) => n).filter((n) => n % 6 !== 0);
    expect(played.filter((sample) => sample >= 1000 && sample < 2480)).toEqual(loud.map((n) => 1000 + n));
  });

  it('skips a loud frame after two seconds without a quiet one', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    const loud = new Int16Array(FRAME).fill(9000);
    for (let n = 0; n < 8; n++) buffer.push(n * FRAME, loud, FRAME);
    for (let n = 8; n < 8 + 90; n++) {
      buffer.push(n * FRAME, loud, FRAME);
      buffer.pull(new Int16Array(FRAME));
    }
    expect(buffer.skippedSamples).toBe(0);
    for (let n = 98; n < 98 + 20; n++) {
      buffer.push(n * FRAME, loud, FRAME);
      buffer.pull(new Int16Array(FRAME));
    }
    expect(buffer.skippedSamples).toBe(FRAME);
  });
});
