import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SYSTEM_CLOCK } from '../../../base/time/system-clock.ts';
import { LEASE_MS } from '../../../src/cluster/node-lease.ts';
import { RENEWED_WITHIN_MS, takeNodeLease } from '../../../src/cluster/take-node-lease.ts';

const IDENTITY = { id: 'one', startId: 'second' };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** `leases`: the ends of the lease that the looks at it find; the last one stays. */
async function takeLease(leases: readonly (number | null)[]) {
  const taken: unknown[] = [];
  let looks = 0;
  const nodes = {
    leaseUntilMs: async () => leases[Math.min(looks++, leases.length - 1)] ?? null,
    takeOver: async (...given: unknown[]) => void taken.push(given),
  };
  const startedMs = Date.now();
  const outcome = takeNodeLease(IDENTITY, nodes, SYSTEM_CLOCK).then(
    () => ({ taken, afterMs: Date.now() - startedMs }),
    (error: unknown) => ({ taken, error }),
  );
  await vi.runAllTimersAsync();
  return outcome;
}

const TAKEN = [['one', LEASE_MS, 'second']];

it('a node without a lease takes it at once', async () => {
  expect(await takeLease([null])).toEqual({ taken: TAKEN, afterMs: 0 });
});

it('the lease of a killed process is taken over once it was not renewed in time', async () => {
  expect(await takeLease([9_000])).toEqual({ taken: TAKEN, afterMs: RENEWED_WITHIN_MS });
});

it('the lease of a process that stops is taken over then', async () => {
  expect(await takeLease([9_000, 9_000, null])).toEqual({ taken: TAKEN, afterMs: 500 });
});

it.each([
  ['extended', 12_000],
  ['shortened', 8_000],
])('a lease that another process has %s is refused', async (_name, untilMs) => {
  expect(await takeLease([9_000, 9_000, untilMs])).toEqual({
    taken: [],
    error: expect.objectContaining({ fault: 'locked', message: expect.stringContaining('node.id') }),
  });
});
