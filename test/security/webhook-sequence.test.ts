import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/storage/database/database.ts';
import { DATABASES } from '../postgres/databases.ts';
import { startEventReceiver } from '../service/rig/event-receiver.ts';
import { eventually } from '../service/rig/eventually.ts';
import { startTestService } from '../service/rig/test-service.ts';
import { noteDelivery, openCalls, writeUntilKilled } from '../src/storage/events/killed-writers.ts';

/** Deliveries before the kill: enough that both writers are at work on every call. */
const DELIVERIES = 60;

describe.each(DATABASES)('on %s', (_, environment) => {
  it('a receiver gets the events of each call as 1, 2, 3 … to the last, also after a crash', async () => {
    const receiver = await startEventReceiver();
    onTestFinished(receiver.close);
    const given = await environment();
    const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-sequence-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const options = { dataDir, ...(given.DATABASE_URL !== undefined && { databaseUrl: given.DATABASE_URL }) };
    const database = await openDatabase(options);
    const callIds = await openCalls(database, receiver.url);
    await database.close();
    const received = await writeUntilKilled(options, callIds, DELIVERIES);
    const test = await startTestService({ ...given, DATA_DIR: dataDir });
    onTestFinished(test.close);
    await eventually(() => {
      const ended = receiver.arrivals.filter(({ type }) => type === 'event_call_ended');
      expect(ended.map(({ call_id }) => call_id).toSorted()).toEqual(callIds.toSorted());
    }, 90_000);
    for (const { call_id, sequence } of receiver.arrivals) noteDelivery(received, call_id, sequence);
    for (const callId of callIds) {
      const sequences = received.get(callId) ?? [];
      expect(sequences).toEqual(sequences.map((_sequence, index) => index + 1));
    }
  });
});
