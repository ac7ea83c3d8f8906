import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WakeUp } from '../../../../sip/media/worker-channel/wake-up.ts';

function pair(slots: number): { worker: WakeUp; main: WakeUp } {
  const main = new WakeUp(slots);
  return { main, worker: new WakeUp(slots, main.shared) };
}

function collected(wakeUp: WakeUp): number[] {
  const slots: number[] = [];
  wakeUp.collect((slot) => slots.push(slot));
  return slots;
}

describe('the wake-up', () => {
  test('gives each marked call once, and none that was not marked', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(199)), (slots) => {
        const { main, worker } = pair(200);
        for (const slot of slots) worker.mark(slot);
        expect(collected(main)).toEqual([...new Set(slots)].sort((a, b) => a - b));
        expect(collected(main)).toEqual([]);
      }),
    );
  });

  test('rings once for all calls of a tick, and not at all for none', () => {
    const { main, worker } = pair(64);
    worker.notify();
    expect(main.count).toBe(0);
    for (let slot = 0; slot < 64; slot++) worker.mark(slot);
    worker.notify();
    worker.notify();
    expect(main.count).toBe(1);
  });

  test('wakes the one who sleeps', async () => {
    const { main, worker } = pair(8);
    const rung = main.changed(main.count);
    worker.mark(5);
    worker.notify();
    await rung;
    expect(collected(main)).toEqual([5]);
  });

  test('a ring between the look and the sleep is not slept through', async () => {
    const { main, worker } = pair(8);
    const seen = main.count;
    expect(collected(main)).toEqual([]);
    worker.mark(1);
    worker.notify();
    await main.changed(seen);
    expect(collected(main)).toEqual([1]);
  });
});
