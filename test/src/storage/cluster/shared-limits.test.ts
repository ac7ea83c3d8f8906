import { describe, expect, it } from 'vitest';
import { createSharedLimitRepository } from '../../../../src/storage/cluster/shared-limit-repository.ts';
import { administrate } from '../../../postgres/server.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../../postgres/temporary-postgres.ts';
import { onEachDatabase, temporaryPostgres } from '../temporary-database.ts';

/** Longer than a test takes, so that all of it is in one window. */
const CENTURY_MS = 3_155_760_000_000;

onEachDatabase((temporaryDatabase) => {
  it('requests that nodes take of one window add up, also at once', async () => {
    const limits = createSharedLimitRepository(await temporaryDatabase());
    const taken = await Promise.all(Array.from({ length: 20 }, () => limits.takeRequests('key', CENTURY_MS, 3)));
    const inOrder = taken.map((one) => one.taken).sort((a, b) => a - b);
    expect(inOrder).toEqual(Array.from({ length: 20 }, (_, nth) => (nth + 1) * 3));
    expect(new Set(taken.map(({ endsMs }) => endsMs)).size).toBe(1);
    expect((await limits.takeRequests('another', CENTURY_MS, 1)).taken).toBe(1);
  });

  it('a new window begins at zero, and tells its end', async () => {
    const limits = createSharedLimitRepository(await temporaryDatabase());
    await limits.takeRequests('key', CENTURY_MS, 100);
    const { endsMs, leftMs, taken } = await limits.takeRequests('key', 60_000, 1);
    expect(taken).toBe(1);
    expect(endsMs % 60_000).toBe(0);
    expect(leftMs).toBeLessThanOrEqual(60_000);
  });
});

describe.skipIf(!hasPostgres())('calls that begin', () => {
  async function limit() {
    const url = await temporaryPostgresUrl();
    const { takeCallStart, removeOld } = createSharedLimitRepository(await temporaryPostgres(url));
    const age = (ms: number) =>
      administrate(url, `UPDATE call_starts SET starts_ms = ARRAY(SELECT t - ${ms} FROM unnest(starts_ms) AS t)`);
    return { age, removeOld, rows: () => administrate(url, 'SELECT starts_ms FROM call_starts'), takeCallStart };
  }

  it('are limited over all nodes, also at once', async () => {
    const { age, rows, takeCallStart } = await limit();
    const atOnce = () => Promise.all(Array.from({ length: 30 }, () => takeCallStart('a', 5)));
    const taken = await atOnce();
    expect(taken.filter(Boolean).length).toBeGreaterThanOrEqual(5);
    // On a slow machine the first ones may be older than a second by now.
    expect((await rows())[0]?.starts_ms).toSatisfy((starts: readonly unknown[]) => starts.length <= 5);
    for (let begun = 0; begun < 5; begun += 1) {
      await age(-600_000);
      await takeCallStart('a', 5);
    }
    await age(-600_000);
    expect(await atOnce(), 'five begin in the last second or later').not.toContain(true);
    expect(await takeCallStart('b', 1)).toBe(true);
  });

  it('count for a second', async () => {
    const { age, rows, takeCallStart } = await limit();
    for (const _ of [1, 2, 3]) {
      await takeCallStart('a', 3);
      await age(-600_000);
    }
    expect(await takeCallStart('a', 3), 'three have begun').toBe(false);
    await age(10_000_000);
    expect(await takeCallStart('a', 3)).toBe(true);
    expect((await rows())[0]?.starts_ms).toHaveLength(1);
  });

  it('are forgotten after an hour', async () => {
    const { age, removeOld, rows, takeCallStart } = await limit();
    await takeCallStart('a', 3);
    await removeOld();
    expect(await rows()).toHaveLength(1);
    await age(3_700_000);
    await removeOld();
    expect(await rows()).toEqual([]);
  });
});
