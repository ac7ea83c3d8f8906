import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { persist, persistThroughOutage, TRIES_MAX } from '../../../../src/storage/database/persist.ts';
import { DatabaseError } from '../../../../src/storage/link/database-error.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A write that fails `times` times and then succeeds. */
function failing(times: number, error = new Error('refused')) {
  const write = vi.fn(() => (write.mock.calls.length <= times ? Promise.reject(error) : Promise.resolve('stored')));
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
  expect(await outcome).toEqual(new Error('refused'));
  expect(write).toHaveBeenCalledTimes(TRIES_MAX);
});

it('a write is retried for as long as the database is unreachable', async () => {
  const write = failing(500, new DatabaseError('unavailable', 'connection refused'));
  const stored = persistThroughOutage(write);
  await vi.runAllTimersAsync();
  expect(await stored).toBe('stored');
});

it('a write that the database refuses is not retried for ever', async () => {
  const write = failing(500, new DatabaseError('constraint', 'no such call'));
  const outcome = persistThroughOutage(write).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await outcome).toBeInstanceOf(DatabaseError);
  expect(write).toHaveBeenCalledTimes(TRIES_MAX);
});
