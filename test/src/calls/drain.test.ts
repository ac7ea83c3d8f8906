import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { Drain, NOTICE_MS, WATCH_MS } from '../../../src/calls/drain.ts';

const GRACE_MS = 30_000;

function begin(drain: Drain, graceMs: number) {
  const left: number[] = [];
  void drain.begin(graceMs).then((ms) => left.push(ms));
  return left;
}

describe('a drain', () => {
  it('is not ready at once, refuses calls after the notice, and takes the notice off the grace', async () => {
    const clock = new SimulatedClock();
    const drain = new Drain(clock);
    expect(drain.isReady()).toBe(true);
    const left = begin(drain, GRACE_MS);
    expect([drain.isReady(), drain.hasBegun, drain.refuses]).toEqual([false, true, false]);
    await clock.advance(NOTICE_MS - 1);
    expect([drain.refuses, left]).toEqual([false, []]);
    await clock.advance(1);
    await clock.advance(0);
    expect([drain.isReady(), drain.refuses, left]).toEqual([false, true, [GRACE_MS - NOTICE_MS]]);
  });

  it.each([
    ['was never asked for', null],
    ['was asked for too long ago', WATCH_MS + 1],
  ])('refuses calls at once if readiness %s', async (_, agoMs) => {
    const clock = new SimulatedClock();
    const drain = new Drain(clock);
    if (agoMs !== null) {
      drain.isReady();
      await clock.advance(agoMs);
    }
    const left = begin(drain, GRACE_MS);
    await clock.advance(0);
    expect([drain.refuses, left]).toEqual([true, [GRACE_MS]]);
  });

  it('without grace gives no notice', async () => {
    const clock = new SimulatedClock();
    const drain = new Drain(clock);
    drain.isReady();
    const left = begin(drain, 0);
    await clock.advance(0);
    expect([drain.refuses, left]).toEqual([true, [0]]);
  });
});
