import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SILENT_LEVEL } from '../../../../sip/rtp/jitter-buffer/comfort-noise.ts';
import {
  BRIDGE_DELAY,
  JitterBuffer,
  PLAYOUT_FRAME_SAMPLES,
  RECORDING_DELAY,
} from '../../../../sip/rtp/jitter-buffer/jitter-buffer.ts';
import { rootMeanSquare } from '../../../rtp-peer/tone.ts';

const FRAME = PLAYOUT_FRAME_SAMPLES;

/** A ramp, in which neighbouring samples differ. Never zero. */
function sampleAt(index: number): number {
  return (index % 30_000) + 1;
}

function push(buffer: JitterBuffer, start: number, index: number, length = FRAME): boolean {
  const audio = Int16Array.from({ length }, (_, i) => sampleAt(index + i));
  return buffer.push((start + index) >>> 0, audio, length);
}

function pull(buffer: JitterBuffer): Int16Array {
  const frame = new Int16Array(FRAME);
  buffer.pull(frame);
  return frame;
}

describe('jitter buffer', () => {
  it('plays silence before the first packet', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    expect(buffer.pull(new Int16Array(FRAME).fill(5))).toBe(0);
    expect(pull(buffer).every((sample) => sample === 0)).toBe(true);
    expect(buffer.concealedSamples).toBe(0);
  });

  it('plays a steady stream completely, 40 ms later, over the wrap of its timestamps', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    const played: number[] = [];
    for (let i = 0; i < 40; i++) {
      push(buffer, 0xffff_ff00, i * FRAME);
      played.push(...pull(buffer));
    }
    expect(played.slice(0, 2 * FRAME).every((sample) => sample === 0)).toBe(true);
    expect(played.slice(2 * FRAME)).toEqual(Array.from({ length: 38 * FRAME }, (_, i) => sampleAt(i)));
    expect([buffer.late, buffer.duplicates, buffer.resyncs]).toEqual([0, 0, 0]);
  });

  it('reorders packets of any length, and counts duplicates', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    push(buffer, 0, 0, 240);
    push(buffer, 0, 320, 80);
    push(buffer, 0, 240, 80);
    expect(push(buffer, 0, 240, 80)).toBe(false);
    pull(buffer);
    pull(buffer);
    expect([...pull(buffer), ...pull(buffer)]).toEqual(Array.from({ length: 320 }, (_, i) => sampleAt(i)));
    expect(buffer.duplicates).toBe(1);
  });

  it('conceals missing audio by a fading repetition', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    const loud = new Int16Array(FRAME).fill(8000);
    buffer.push(0, loud, FRAME);
    for (let i = 0; i < 2; i++) pull(buffer);
    expect(buffer.pull(new Int16Array(FRAME))).toBe(FRAME);
    const gap = [...pull(buffer), ...pull(buffer), ...pull(buffer), ...pull(buffer)];
    expect(gap[0]).toBe(8000);
    expect(gap.every((sample, i) => i === 0 || sample <= (gap[i - 1] ?? 0))).toBe(true);
    expect(gap.slice(480).every((sample) => sample === 0)).toBe(true);
    expect(buffer.concealedSamples).toBe(6 * FRAME);
  });

  it('plays silence after comfort noise, not a repetition', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    buffer.push(0, new Int16Array(FRAME).fill(8000), FRAME);
    buffer.pushComfortNoise(FRAME, SILENT_LEVEL);
    for (let i = 0; i < 3; i++) pull(buffer);
    for (let i = 0; i < 4; i++) expect(pull(buffer).every((sample) => sample === 0)).toBe(true);
  });

  it('plays comfort noise at its level until audio returns, and conceals losses after that', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    buffer.push(0, new Int16Array(FRAME).fill(8000), FRAME);
    buffer.pushComfortNoise(FRAME, 40);
    for (let i = 0; i < 3; i++) pull(buffer);
    const noise = Int16Array.from([pull(buffer), pull(buffer), pull(buffer)].flatMap((frame) => [...frame]));
    // 40 dB below full scale.
    expect(rootMeanSquare(noise)).toBeGreaterThan(327 * 0.9);
    expect(rootMeanSquare(noise)).toBeLessThan(327 * 1.1);
    buffer.pushComfortNoise(5 * FRAME, 60);
    buffer.push(7 * FRAME, new Int16Array(FRAME).fill(9000), FRAME);
    expect(rootMeanSquare(Int16Array.from(pull(buffer)))).toBeLessThan(40);
    expect(rootMeanSquare(Int16Array.from(pull(buffer)))).toBeLessThan(40);
    const after = [...pull(buffer), ...pull(buffer), ...pull(buffer)];
    const audioStart = after.indexOf(9000);
    expect(audioStart).toBeGreaterThanOrEqual(0);
    expect(after.slice(0, audioStart).every((sample) => Math.abs(sample) < 120)).toBe(true);
    const concealed = after.slice(audioStart + FRAME, audioStart + FRAME + 100);
    expect(concealed.every((sample) => sample > 5000)).toBe(true);
  });

  it('plays a late packet if only concealment was played since, and keeps the longer delay', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    push(buffer, 0, 0);
    for (let i = 0; i < 5; i++) pull(buffer);
    for (let i = 1; i < 40; i++) {
      expect(push(buffer, 0, i * FRAME)).toBe(true);
      expect(pull(buffer)[0]).toBe(sampleAt(i * FRAME));
    }
    expect(buffer.delaySamples).toBe(320 + 2 * FRAME);
    expect(buffer.late).toBe(0);
  });

  it('drops and counts a packet whose successor was played, and waits longer from then on', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    for (const i of [0, 2, 3]) push(buffer, 0, i * FRAME);
    for (let i = 0; i < 5; i++) pull(buffer);
    expect(push(buffer, 0, FRAME)).toBe(false);
    expect(buffer.late).toBe(1);
    expect(buffer.delaySamples).toBe(320 + 2 * FRAME);
    pull(buffer);
    pull(buffer);
    expect(pull(buffer)[0]).toBe(sampleAt(3 * FRAME));
  });

  it('never waits longer than 200 ms, and shortens its delay when all packets are early', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    push(buffer, 0, 0);
    for (let i = 0; i < 9; i++) pull(buffer);
    push(buffer, 0, FRAME);
    expect(buffer.delaySamples).toBe(320 + 6 * FRAME);
    expect(push(buffer, 0, FRAME - 400)).toBe(false);
    expect(push(buffer, 0, -3000)).toBe(false);
    expect(buffer.delaySamples).toBeLessThanOrEqual(1600);
    for (let index = 8; index < 1000; index++) {
      push(buffer, 0, index * FRAME);
      pull(buffer);
    }
    expect(buffer.delaySamples).toBeLessThanOrEqual(320);
    expect(buffer.late).toBe(2);
  });

  it('follows the clock of a slower and of a faster sender without a resynchronization', () => {
    for (const drift of [-0.002, 0.002]) {
      const buffer = new JitterBuffer(BRIDGE_DELAY);
      let sent = 0;
      let real = 0;
      for (let tick = 0; tick < 10_000; tick++) {
        for (; sent * (1 + drift) <= tick; sent++) push(buffer, 0, sent * FRAME);
        real += buffer.pull(new Int16Array(FRAME));
      }
      expect([buffer.late, buffer.resyncs]).toEqual([0, 0]);
      expect(real / FRAME).toBeGreaterThan(Math.min(10_000, sent) * 0.997);
      expect(buffer.delaySamples).toBeLessThanOrEqual(640);
    }
  });

  it('follows a sender whose timestamps moved, backward or forward', () => {
    for (const moved of [500_000, 0x7000_0000]) {
      const buffer = new JitterBuffer(BRIDGE_DELAY);
      for (let i = 0; i < 10; i++) {
        push(buffer, 1_000_000, i * FRAME);
        pull(buffer);
      }
      for (let i = 0; i < 10; i++) {
        push(buffer, moved, i * FRAME);
        pull(buffer);
      }
      expect(buffer.resyncs).toBe(1);
      expect([...pull(buffer)]).not.toEqual(new Array(FRAME).fill(0));
    }
  });

  it('plays the buffered audio and then the new stream when the source restarts', () => {
    const buffer = new JitterBuffer(RECORDING_DELAY);
    const played: number[] = [];
    for (let i = 0; i < 20; i++) {
      push(buffer, 7000, i * FRAME);
      played.push(...pull(buffer));
    }
    buffer.reset();
    for (let i = 20; i < 50; i++) {
      push(buffer, 0x8000_0000, i * FRAME);
      played.push(...pull(buffer));
    }
    expect(played.slice(1600)).toEqual(Array.from({ length: 40 * FRAME }, (_, i) => sampleAt(i)));
    expect([buffer.resyncs, buffer.late]).toEqual([0, 0]);
  });

  it('plays packets up to 200 ms late completely and at their position for a recording', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 180 }), { minLength: 60, maxLength: 150 }), (delays) => {
        const buffer = new JitterBuffer(RECORDING_DELAY);
        const arrivals = delays.map((delayMs, n) => ({ n, atMs: n === 0 ? 0 : n * 20 + delayMs }));
        arrivals.sort((a, b) => a.atMs - b.atMs);
        const played: number[] = [];
        for (let nowMs = 0; nowMs < delays.length * 20 + 200; nowMs += 20) {
          while ((arrivals[0]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs)
            push(buffer, 0, (arrivals.shift()?.n ?? 0) * FRAME);
          played.push(...pull(buffer));
        }
        expect(played.slice(RECORDING_DELAY.initial)).toEqual(
          Array.from({ length: delays.length * FRAME }, (_, i) => sampleAt(i)),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('rejects empty packets and packets longer than half the ring', () => {
    const buffer = new JitterBuffer(BRIDGE_DELAY);
    expect(buffer.push(0, new Int16Array(0), 0)).toBe(false);
    expect(buffer.push(0, new Int16Array(8000), 8000)).toBe(false);
  });

  it('plays only sent audio, in order unless it resynchronises, for any delays', () => {
    const jitter = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 20, maxLength: 120 });
    fc.assert(
      fc.property(jitter, fc.integer({ min: 0, max: 0xffffffff }), (delays, start) => {
        const buffer = new JitterBuffer(BRIDGE_DELAY);
        const arrivals = delays.map((delayMs, n) => ({ n, atMs: n * 20 + delayMs }));
        arrivals.sort((a, b) => a.atMs - b.atMs);
        const frame = new Int16Array(FRAME);
        let next = 0;
        let last = 0;
        for (let nowMs = 0; nowMs < delays.length * 20 + 900; nowMs += 20) {
          for (; (arrivals[next]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs; next++) {
            push(buffer, start, (arrivals[next]?.n ?? 0) * FRAME);
          }
          if (buffer.pull(frame) === FRAME && buffer.resyncs === 0) {
            const first = (frame[0] ?? 0) - 1;
            expect(first % FRAME).toBe(0);
            expect(first).toBeGreaterThanOrEqual(last);
            expect(frame[FRAME - 1]).toBe(sampleAt(first + FRAME - 1));
            last = first;
          }
          expect(buffer.delaySamples).toBeLessThanOrEqual(1600);
          expect(buffer.delaySamples).toBeGreaterThanOrEqual(160);
        }
      }),
    );
  });
});
