import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

describe('wake-up', () => {
  it('collects each marked session once, and no other', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(199)), (slots) => {
        const { main, worker } = pair(200);
        for (const slot of slots) worker.mark(slot);
        expect(collected(main)).toEqual([...new Set(slots)].sort((a, b) => a - b));
        expect(collected(main)).toEqual([]);
      }),
    );
  });

  it('notifies once for all sessions of a tick, and not without a marked one', () => {
    const { main, worker } = pair(64);
    worker.notify();
    expect(main.count).toBe(0);
    for (let slot = 0; slot < 64; slot++) worker.mark(slot);
    worker.notify();
    worker.notify();
    expect(main.count).toBe(1);
  });

  it('wakes the waiting main thread', async () => {
    const { main, worker } = pair(8);
    const changed = main.changed(main.count);
    worker.mark(5);
    worker.notify();
    await changed;
    expect(collected(main)).toEqual([5]);
  });

  it('does not miss a notification between collect and changed', async () => {
    const { main, worker } = pair(8);
    const seen = main.count;
    expect(collected(main)).toEqual([]);
    worker.mark(1);
    worker.notify();
    await main.changed(seen);
    expect(collected(main)).toEqual([1]);
  });
});
