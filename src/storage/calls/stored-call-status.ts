import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type DatabaseOptions, openDatabaseGuest } from '../database/database.ts';
import type { CallStatus } from '../schema/call-status.ts';
import { createCallRepository } from './call-repository.ts';

/**
 * Reads the status of a call beside a running service. Null: no such call.
 *
 * @throws Error if there is no database.
 */
export async function storedCallStatus(options: DatabaseOptions, callId: string): Promise<CallStatus | null> {
  const { dataDir, databaseUrl = null } = options;
  if (databaseUrl === null && !existsSync(join(dataDir, 'trunkline.db'))) {
    throw new Error(`there is no database in ${dataDir}: is DATA_DIR the one of the service?`);
  }
  const database = await openDatabaseGuest(options);
  try {
    return (await createCallRepository(database).find(callId))?.status ?? null;
  } finally {
    await database.close();
  }
}
