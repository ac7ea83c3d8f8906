import { describe, expect, it } from 'vitest';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { hasPostgres } from '../../../postgres/temporary-postgres.ts';
import { newCall, START_MS, storeAgent, temporaryPostgres } from '../temporary-database.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const STAGED_FOR_MS = 60_000;

describe.skipIf(!hasPostgres())('a call that was staged on a node whose clock is wrong', () => {
  it.each([
    ['behind', START_MS],
    ['ahead', Date.now() + DAY_MS],
  ])('waits its minute, and can be claimed by a node whose clock is right (%s)', async (_side, wrongMs) => {
    const database = await temporaryPostgres();
    const [wrong, right] = [createCallRepository(database, 'wrong'), createCallRepository(database, 'right')];
    const call = newCall(await storeAgent(database), { nowMs: wrongMs });
    await wrong.createCall(call);
    const patch = { stagingDeadlineMs: wrongMs + STAGED_FOR_MS };
    await wrong.setStatus(call.id, { from: ['initiated'], to: 'staged', atMs: wrongMs, patch });
    expect(await right.expireStaged(Date.now())).toEqual([]);
    expect(await right.claimStaged(call.id, Date.now())).not.toBeNull();
  });

  it.each([
    ['behind', START_MS],
    ['ahead', Date.now() + DAY_MS],
  ])('is not ended by a node whose clock is %s, and is claimed there', async (_side, wrongMs) => {
    const database = await temporaryPostgres();
    const [wrong, right] = [createCallRepository(database, 'wrong'), createCallRepository(database, 'right')];
    const nowMs = Date.now();
    const call = newCall(await storeAgent(database), { nowMs });
    await right.createCall(call);
    const patch = { stagingDeadlineMs: nowMs + STAGED_FOR_MS };
    await right.setStatus(call.id, { from: ['initiated'], to: 'staged', atMs: nowMs, patch });
    expect(await wrong.expireStaged(wrongMs)).toEqual([]);
    expect(await wrong.claimStaged(call.id, wrongMs)).not.toBeNull();
  });
});
