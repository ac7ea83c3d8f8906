import { afterEach, expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { withTimeout } from '../../../base/time/with-timeout.ts';

const TIMEOUT_MS = 100;
const clock = new SimulatedClock();
const never = new Promise<string>(() => {});

afterEach(() => {
  expect(clock.pending).toBe(0);
});

it('a promise that settles in time keeps its value or its error', async () => {
  expect(await withTimeout(Promise.resolve('value'), TIMEOUT_MS, () => 'late', clock)).toBe('value');
  const failed = withTimeout(Promise.reject(new Error('refused')), TIMEOUT_MS, () => 'late', clock);
  await expect(failed).rejects.toThrow('refused');
});

it('a promise that does not settle in time is replaced', async () => {
  const replaced = withTimeout(never, TIMEOUT_MS, () => 'late', clock);
  clock.advance(TIMEOUT_MS);
  expect(await replaced).toBe('late');
});

it('a timeout can be an error', async () => {
  const fail = () => {
    throw new Error('no answer');
  };
  const failed = withTimeout(never, TIMEOUT_MS, fail, clock);
  clock.advance(TIMEOUT_MS);
  await expect(failed).rejects.toThrow('no answer');
});
