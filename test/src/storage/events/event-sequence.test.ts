import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/storage/database/database.ts';
import { createRepositories, type Repositories } from '../../../../src/storage/repositories.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../../postgres/temporary-postgres.ts';
import { temporaryFolder } from '../temporary-database.ts';
import { type Deliveries, noteDelivery, openCalls, writeUntilKilled } from './killed-writers.ts';

const KILLS = 3;
/** Deliveries before the kill. */
const delivered = fc.integer({ min: 1, max: 120 });
const ATTEMPT = { attemptedMs: 0, durationMs: 1, httpStatus: 204, outcome: '' };

/** Acts as the next process: ends the calls and delivers all events. */
async function recover({ calls, outbox }: Repositories, deliveries: Deliveries): Promise<void> {
  for (const { id } of await calls.callsInFlight()) {
    await calls.finish(id, { status: 'completed', endReason: 'shutdown', atMs: Date.now() });
  }
  for (;;) {
    const due = await outbox.dueDeliveries(Date.now(), 100);
    if (due.length === 0) return;
    for (const { callId, sequence } of due) noteDelivery(deliveries, callId, sequence);
    await Promise.all(due.map(({ id }) => outbox.markDelivered(id, ATTEMPT)));
  }
}

async function storedSequences({ query }: Database, callId: string): Promise<number[]> {
  const rows = await query
    .selectFrom('call_events')
    .select('sequence')
    .where('call_id', '=', callId)
    .orderBy('sequence')
    .execute();
  return rows.map(({ sequence }) => sequence);
}

describe.each([
  ['SQLite', async () => ({ dataDir: await temporaryFolder() })],
  ...(hasPostgres()
    ? [['PostgreSQL', async () => ({ dataDir: '', databaseUrl: await temporaryPostgresUrl() })] as const]
    : []),
] as const)('events of calls on %s whose writers are killed', (_, options) => {
  it('are stored and delivered as 1, 2, 3 … without a gap', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(delivered, async (deliveries) => {
        const given = await options();
        const before = await openDatabase(given);
        const callIds = await openCalls(before, 'https://receiver.test/');
        await before.close();
        const received = await writeUntilKilled(given, callIds, deliveries);
        const database = await openDatabase(given);
        try {
          await recover(createRepositories(database), received);
          for (const callId of callIds) {
            const stored = await storedSequences(database, callId);
            expect(stored).toEqual(stored.map((_sequence, index) => index + 1));
            expect(received.get(callId)).toEqual(stored);
          }
        } finally {
          await database.close();
        }
      }),
      { numRuns: KILLS, endOnFailure: true },
    );
  });
});
