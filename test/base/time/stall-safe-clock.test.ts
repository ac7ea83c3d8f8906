import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createStallSafeClock } from '../../../base/time/stall-safe-clock.ts';

/** Blocks this thread, starting in a phase of the event loop that timers follow. */
async function standStill(ms: number): Promise<void> {
  await new Promise(setImmediate);
  for (const untilMs = performance.now() + ms; performance.now() < untilMs; );
}

describe('the timers of a call', () => {
  it('fire after the input that arrived during a stall, in the order of their due times', async () => {
    const clock = createStallSafeClock();
    const reported: string[] = [];
    const { port1, port2 } = new MessageChannel();
    const done = new Promise<void>((resolve) => {
      clock.after(30, () => reported.push('third'));
      clock.after(20, () => reported.push('second'));
      const cancel = clock.after(25, () => reported.push('cancelled'));
      port2.on('message', () => {
        reported.push('first');
        cancel();
      });
      clock.after(320, () => {
        reported.push('last');
        resolve();
      });
    });
    port1.postMessage('came in');
    await standStill(300);
    await done;
    port1.close();
    expect(reported).toEqual(['first', 'second', 'third', 'last']);
  });

  it('fire on time otherwise, and never early', async () => {
    const clock = createStallSafeClock();
    const beganUs = clock.nowUs();
    const firedUs = await new Promise<number>((resolve) => clock.after(30, () => resolve(clock.nowUs())));
    expect(firedUs - beganUs).toBeGreaterThanOrEqual(29_000);
  });
});
