import { setImmediate as settled } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import { WakeLoop } from '../../../../src/background/knowledge/wake-loop.ts';

/** A loop whose rounds end when the test ends them. */
function rig() {
  const clock = new SimulatedClock();
  const rounds: ((delayMs: number | null) => void)[] = [];
  const loop = new WakeLoop(clock, () => new Promise((resolve) => rounds.push(resolve)));
  const end = async (delayMs: number | null) => {
    rounds.at(-1)?.(delayMs);
    await settled();
  };
  return { clock, end, loop, rounds };
}

it('wake-ups during a round start one more round', async () => {
  const { end, loop, rounds } = rig();
  loop.wake();
  loop.wake();
  loop.wake();
  expect(rounds).toHaveLength(1);
  await end(null);
  expect(rounds).toHaveLength(2);
  await end(null);
  expect(rounds).toHaveLength(2);
  loop.wake();
  expect(rounds).toHaveLength(3);
});

it.each([0, 1, 2, 3, 4, 5])('a wake-up %i microtasks after a round has ended is not lost', async (microtasks) => {
  const { end, loop, rounds } = rig();
  loop.wake();
  const ended = end(null);
  for (let passed = 0; passed < microtasks; passed++) await Promise.resolve();
  loop.wake();
  await ended;
  expect(rounds).toHaveLength(2);
});

it('a requested pause delays the next round, even after wake-ups', async () => {
  const { clock, end, loop, rounds } = rig();
  loop.wake();
  await end(1_000);
  loop.wake();
  clock.runUntil(999);
  await settled();
  expect(rounds).toHaveLength(1);
  clock.runUntil(1_000);
  await settled();
  expect(rounds).toHaveLength(2);
});

it('stopping waits for the current round and starts no other', async () => {
  const { clock, end, loop, rounds } = rig();
  loop.wake();
  let stopped = false;
  const stop = loop.stop().then(() => {
    stopped = true;
  });
  expect(loop.signal.aborted).toBe(true);
  loop.wake();
  await settled();
  expect(stopped).toBe(false);
  await end(1_000);
  await stop;
  loop.wake();
  expect(rounds).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

it('stopping during a pause takes effect at once', async () => {
  const { clock, end, loop, rounds } = rig();
  loop.wake();
  await end(1_000);
  await loop.stop();
  expect(rounds).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

it('a loop without a wake-up can be stopped', async () => {
  await rig().loop.stop();
});
