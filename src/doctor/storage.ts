import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Configuration } from '../configuration/configuration.ts';
import { type Database, openDatabaseGuest } from '../storage/database/database.ts';
import { refuseUnreleasedSchema } from '../storage/migrations/migrate.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';
import { checkPostgres } from './postgres.ts';

const MIB = 1024 * 1024;

export interface StorageCheck {
  readonly findings: readonly Finding[];
  /** null: missing, or cannot be opened. The receiver closes it. */
  readonly database: Database | null;
}

/** Checks the data directory and its database without changing them. The service may be running. */
export async function checkStorage(configuration: Configuration): Promise<StorageCheck> {
  const { databaseUrl, dataDir, diskLowWaterBytes } = configuration;
  const folder = await existingFolder(dataDir);
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const remedy = `make ${resolve(dataDir)} writable for this user, or set DATA_DIR`;
    return { findings: [fault('data', `${folder} is not writable: ${messageOf(error)}`, remedy)], database: null };
  }
  const room = await checkRoom(folder, diskLowWaterBytes);
  if (databaseUrl !== null) {
    const { findings, database } = await checkPostgres(configuration);
    return { findings: [room, ...findings], database };
  }
  const file = join(dataDir, 'trunkline.db');
  if (!(await exists(file))) {
    return { findings: [room, fine('database', `the first start creates ${file}`)], database: null };
  }
  try {
    return { findings: [room, fine('database', `${file} responds`)], database: await answering(configuration) };
  } catch (error) {
    const remedy = 'check the file and its disk; restore a backup if it is damaged';
    return { findings: [room, fault('database', `${file}: ${messageOf(error)}`, remedy)], database: null };
  }
}

async function checkRoom(folder: string, lowWaterBytes: number): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = `${folder} is writable, ${Math.floor((bavail * bsize) / MIB)} MiB free`;
  return bavail * bsize < lowWaterBytes
    ? warning('data', `${free}: recordings, tapes and uploads stop`, 'free space, or set DISK_LOW_WATER_MB')
    : fine('data', free);
}

/** Rejects if the database does not respond. */
async function answering(configuration: Configuration): Promise<Database> {
  const database = await openDatabaseGuest(configuration);
  try {
    // Reads the file; `SELECT 1` would not.
    await refuseUnreleasedSchema(database.kind, database.query);
    await database.query.selectFrom('kysely_migration').select('name').limit(1).execute();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The data directory, or the nearest existing parent folder. */
async function existingFolder(dataDir: string): Promise<string> {
  let folder = resolve(dataDir);
  while (!(await exists(folder)) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
