import { randomUUID } from 'node:crypto';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { createJournalRepository } from '../../../../src/storage/calls/journal-repository.ts';
import { openDatabaseBeside } from '../../../../src/storage/database/database.ts';
import { createOutboxRepository } from '../../../../src/storage/events/outbox-repository.ts';

/**
 * Stores events of open calls until the process is killed: each call's journal batches, some of them twice as after an unknown
 * outcome, and status changes. With `deliver`, it also delivers: prints `CALL_ID SEQUENCE`, then marks the event.
 */
const [, , dataDir = '', databaseUrl = '', role = '', ...callIds] = process.argv;
const database = await openDatabaseBeside({ dataDir, databaseUrl: databaseUrl === '' ? null : databaseUrl });
const calls = createCallRepository(database);
const journal = createJournalRepository(database);
const outbox = createOutboxRepository(database);

async function writeUntilKilled(callId: string): Promise<never> {
  for (let turn = 0; ; turn++) {
    const batch = {
      startedWallMs: Date.now(),
      entries: [
        { type: 'state', from: 'a', to: 'b', atUs: turn },
        { type: 'tool_called', toolCallId: 'call', name: 'lookup', successful: true, atUs: turn },
      ],
      eventIds: [randomUUID(), randomUUID()],
    } as const;
    await Promise.all([journal.appendJournal(callId, batch), journal.appendJournal(callId, batch)]);
    await calls.setStatus(callId, { from: ['in_progress'], to: 'in_progress', atMs: Date.now() });
  }
}

async function deliverUntilKilled(): Promise<never> {
  const attempt = { attemptedMs: 0, durationMs: 1, httpStatus: 204, outcome: '' };
  for (;;) {
    const due = await outbox.dueDeliveries(Date.now(), 100);
    process.stdout.write(due.map(({ callId, sequence }) => `${callId} ${sequence}\n`).join(''));
    await Promise.all(due.map(({ id }) => outbox.markDelivered(id, attempt)));
  }
}

await Promise.all([...callIds.map(writeUntilKilled), ...(role === 'deliver' ? [deliverUntilKilled()] : [])]);
