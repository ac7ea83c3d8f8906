import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OverloadGuard, WARM_UP_READINGS } from '../../../../src/calls/overload/overload-guard.ts';
import { READING_MS } from '../../../../src/calls/overload/overload-rule.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const FREE = { capacity: () => ({ accepted: true }) as const };

it('refuses calls from the reading on that is above twice a limit and after the warm-up, and reads each second until it is closed', () => {
  let share = 0;
  const read = vi.fn(() => ({ event_loop: 0, media: share, database: 0 }));
  const close = vi.fn();
  const overload = new OverloadGuard(() => 5);
  overload.start({ read, close });
  const guarded = overload.guard(FREE);
  expect(overload.view).toEqual({ phase: 'open', reading: null });
  share = 2.5;
  vi.advanceTimersByTime(WARM_UP_READINGS * READING_MS);
  expect(guarded.capacity()).toEqual({ accepted: true });
  vi.advanceTimersByTime(READING_MS);
  expect(guarded.capacity()).toEqual({ accepted: false, retryAfterSeconds: 4 });
  expect(overload.view).toEqual({ phase: 'closed', reading: { event_loop: 0, media: 2.5, database: 0 } });
  overload.close();
  vi.advanceTimersByTime(10 * READING_MS);
  expect(read).toHaveBeenCalledTimes(WARM_UP_READINGS + 1);
  expect(close).toHaveBeenCalledTimes(1);
});

it('compares the calls with the limit without the one that asks, if that is counted already', () => {
  let calls = 0;
  const overload = new OverloadGuard(() => calls);
  overload.start({ read: () => ({ event_loop: 0, media: 0.99, database: 0 }), close: () => {} });
  vi.advanceTimersByTime((WARM_UP_READINGS + 1) * READING_MS);
  const guarded = overload.guard(FREE);
  expect(guarded.capacity()).toEqual({ accepted: true });
  calls = 1;
  expect(guarded.capacity()).toMatchObject({ accepted: false });
  expect(guarded.capacity(1)).toEqual({ accepted: true });
  overload.close();
});

it('refuses what the media refuse', () => {
  const meter = { read: () => ({ event_loop: 0, media: 0, database: 0 }), close: () => {} };
  const overload = new OverloadGuard(() => 0);
  overload.start(meter);
  const full = { capacity: () => ({ accepted: false, retryAfterSeconds: 10 }) as const };
  expect(overload.guard(full).capacity()).toEqual({ accepted: false, retryAfterSeconds: 10 });
  overload.close();
});
