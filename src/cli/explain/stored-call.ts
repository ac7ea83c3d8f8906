import { readStoredTimeline, type StoredTimeline } from '../../api/timeline/stored-timeline.ts';
import { createCallRepository } from '../../storage/calls/call-repository.ts';
import { createJournalRepository } from '../../storage/calls/journal-repository.ts';
import { type DatabaseOptions, openDatabaseGuest } from '../../storage/database/database.ts';
import { createCallEventRepository } from '../../storage/events/call-event-repository.ts';

/**
 * Reads a call for its timeline, also beside a running service.
 *
 * @throws Error if there is no database or no such call
 */
export async function readStoredCall(
  options: Pick<DatabaseOptions, 'dataDir' | 'databaseUrl'>,
  callId: string,
): Promise<StoredTimeline> {
  const database = await openDatabaseGuest(options);
  try {
    const call = await createCallRepository(database).find(callId);
    if (call === null)
      throw new Error(`call ${callId} not found in ${options.databaseUrl ? 'DATABASE_URL' : options.dataDir}`);
    const callEvents = createCallEventRepository(database);
    return await readStoredTimeline({ callEvents, journal: createJournalRepository(database) }, call);
  } finally {
    await database.close();
  }
}
