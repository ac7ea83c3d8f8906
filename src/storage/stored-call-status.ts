import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CALL_STATUSES, type CallStatus } from './call-record.ts';

/** How long a checkpoint of the running service may keep us waiting, ms. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * What the database of a data directory says of a call, for a command beside the service: read only, so that it takes no
 * lock that the service waits for. Null where there is no such call. Throws where there is no database.
 */
export function storedCallStatus(dataDir: string, callId: string): CallStatus | null {
  const path = join(dataDir, 'trunkline.db');
  if (!existsSync(path)) throw new Error(`there is no database in ${dataDir}: is DATA_DIR the one of the service?`);
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const row = database.prepare('SELECT status FROM calls WHERE id = ?').get(callId);
    return CALL_STATUSES.find((status) => status === row?.status) ?? null;
  } finally {
    database.close();
  }
}
