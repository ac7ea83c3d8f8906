import { type DatabaseOptions, openDatabaseGuest } from '../database/database.ts';
import type { CallStatus } from '../schema/call-status.ts';
import { createCallRepository } from './call-repository.ts';

/**
 * Reads the status of a call beside a running service. Null: no such call.
 *
 * @throws Error if there is no database.
 */
export async function storedCallStatus(options: DatabaseOptions, callId: string): Promise<CallStatus | null> {
  const database = await openDatabaseGuest(options);
  try {
    return (await createCallRepository(database).find(callId))?.status ?? null;
  } finally {
    await database.close();
  }
}
