import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { persist, TRIES_MAX } from '../../../../src/storage/database/persist.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A write that fails `times` times and then succeeds. */
function failing(times: number) {
  const write = vi.fn(() =>
    write.mock.calls.length <= times ? Promise.reject(new Error('unavailable')) : Promise.resolve('stored'),
  );
  return write;
}

it('an unbounded write is retried until it succeeds', async () => {
  const write = failing(500);
  const stored = persist(write);
  await vi.runAllTimersAsync();
  expect(await stored).toBe('stored');
  expect(write).toHaveBeenCalledTimes(501);
});

it('a bounded write rejects with its last error', async () => {
  const write = failing(500);
  const outcome = persist(write, TRIES_MAX).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await outcome).toEqual(new Error('unavailable'));
  expect(write).toHaveBeenCalledTimes(TRIES_MAX);
});
