import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { Configuration } from '../configuration/configuration.ts';
import { findSecrets } from '../secrets/key-file.ts';
import { isSealedWith } from '../secrets/secrets.ts';
import type { TableRestore } from '../storage/link/table-snapshot.ts';
import { migrationsOf } from '../storage/migrations/migration-list.ts';
import { openRestore } from '../storage/snapshot/open-snapshot.ts';
import { holdDataDir } from '../storage/sqlite/data-dir-lock.ts';
import { DATABASE_PREFIX, FILES_PREFIX, type Manifest } from './archive-format.ts';
import { type ArchiveEntry, bytesOf, readArchive, verifyArchive } from './archive-reader.ts';
import { MASTER_KEY_FILE } from './create-backup.ts';
import { DATA_FOLDERS } from './data-files.ts';
import { readPart } from './row-lines.ts';
import { withoutSealedValues } from './sealed-values.ts';

/** For the owner alone. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Rows of one insert: one commit of SQLite, and within PostgreSQL's number of parameters. */
const ROWS_AT_ONCE = 500;
/** Files of an empty data directory; the lock is made by the restore itself. A volume has the last one. */
const EMPTY_FILES: ReadonlySet<string> = new Set([
  MASTER_KEY_FILE,
  'trunkline.lock',
  'trunkline.lock-journal',
  'lost+found',
  '.restore',
]);

export interface RestoreOptions {
  readonly configuration: Pick<Configuration, 'dataDir' | 'databaseUrl' | 'masterKey'>;
  readonly path: string;
  /** False: leaves out what only the master key of the backup opens. */
  readonly withSecrets: boolean;
}

export interface RestoreCounts {
  readonly rows: number;
  readonly files: number;
  readonly manifest: Manifest;
}

/**
 * Fills an empty data directory, and an empty database, from a backup of either kind of database. The database appears last: an interrupted
 * restore leaves none. Rejects before it restores anything if the archive is damaged or newer than this program, if the master key differs,
 * if a service runs, or if something is there already.
 */
export async function restoreBackup({ configuration, path, withSecrets }: RestoreOptions): Promise<RestoreCounts> {
  const { dataDir } = configuration;
  const manifest = await verifyArchive(path);
  const schema = schemaOf(manifest);
  const hasKey = (await findSecrets(configuration)) !== null;
  if (withSecrets) await refuseOtherKey(manifest, configuration);
  const lock = holdDataDir(dataDir);
  try {
    await refuseContent(dataDir);
    const tables = await openRestore(configuration, schema);
    const target = { dataDir, tables, withSecrets, withMasterKey: withSecrets && !hasKey };
    try {
      const counts = await restoreEntries(path, target);
      await tables.commit();
      return { ...counts, manifest };
    } catch (error) {
      await tables.abandon();
      await removeFiles(target);
      throw error;
    }
  } finally {
    lock.close();
  }
}

/** The last migration of the backup. */
function schemaOf({ database, migrations, version }: Manifest): string {
  const known = migrationsOf(database);
  const unknown = migrations.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) {
    throw new Error(
      `the backup has a newer database than this program (migration ${unknown}): restore it with Trunkline ${version} or newer`,
    );
  }
  return migrations.at(-1) ?? '';
}

async function refuseOtherKey(manifest: Manifest, configuration: RestoreOptions['configuration']): Promise<void> {
  const { master_key: hasKey, master_key_proof: proof } = manifest;
  if (proof === null) return;
  const secrets = await findSecrets(configuration);
  if (secrets === null ? hasKey : isSealedWith(secrets, proof)) return;
  const fault =
    secrets === null
      ? `there is no master key: TRUNKLINE_MASTER_KEY is not set, and ${configuration.dataDir} has no ${MASTER_KEY_FILE}`
      : 'the master key is not the one of the backup';
  throw new Error(
    `${fault}. Set TRUNKLINE_MASTER_KEY to the key of the backup, or put its ${MASTER_KEY_FILE} into DATA_DIR. If it is lost, restore with ` +
      '--without-secrets',
  );
}

async function refuseContent(dataDir: string): Promise<void> {
  for (const { name } of await readdir(dataDir, { withFileTypes: true })) {
    if (EMPTY_FILES.has(name)) continue;
    const isEmptyFolder = DATA_FOLDERS.includes(name) && (await contentOf(join(dataDir, name))).length === 0;
    if (!isEmptyFolder) throw new Error(`${dataDir} is not empty (${name}): set DATA_DIR to an empty folder`);
  }
}

async function contentOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => !EMPTY_FILES.has(name)).map((name) => join(folder, name));
}

interface RestoreTarget {
  readonly dataDir: string;
  readonly tables: TableRestore;
  readonly withSecrets: boolean;
  readonly withMasterKey: boolean;
}

async function restoreEntries(path: string, target: RestoreTarget): Promise<Pick<RestoreCounts, 'rows' | 'files'>> {
  let rows = 0;
  let files = 0;
  for await (const entry of readArchive(path)) {
    if (entry.name.startsWith(DATABASE_PREFIX)) {
      rows += await restoreRows(entry, target);
    } else if (entry.name.startsWith(FILES_PREFIX) && isWanted(entry, target)) {
      await restoreFile(entry, target.dataDir);
      files += 1;
    } else {
      await bytesOf(entry);
    }
  }
  return { rows, files };
}

async function restoreRows(entry: ArchiveEntry, { tables, withSecrets }: RestoreTarget): Promise<number> {
  const [, table = ''] = entry.name.split('/');
  const { columns, rows } = readPart(table, String(await bytesOf(entry)));
  const kept = withSecrets ? rows : rows.map((row) => withoutSealedValues(columns, row)).filter((row) => row !== null);
  for (let first = 0; first < kept.length; first += ROWS_AT_ONCE) {
    await tables.insert(columns, kept.slice(first, first + ROWS_AT_ONCE));
  }
  return kept.length;
}

function isWanted({ name }: ArchiveEntry, { withMasterKey }: RestoreTarget): boolean {
  return name !== `${FILES_PREFIX}${MASTER_KEY_FILE}` || withMasterKey;
}

async function restoreFile({ name, content }: ArchiveEntry, dataDir: string): Promise<void> {
  const path = name.slice(FILES_PREFIX.length);
  const [top = ''] = path.split('/');
  const isInside = normalize(path) === path && (path === MASTER_KEY_FILE || DATA_FOLDERS.includes(top));
  if (!isInside) throw new Error(`the backup has a file outside of the data directory: ${path}`);
  await mkdir(dirname(join(dataDir, path)), { recursive: true, mode: FOLDER_MODE });
  const file = await open(join(dataDir, path), 'wx', FILE_MODE);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes the restored files after a failure. */
async function removeFiles({ dataDir, withMasterKey }: RestoreTarget): Promise<void> {
  for (const folder of DATA_FOLDERS) {
    for (const path of await contentOf(join(dataDir, folder))) await rm(path, { recursive: true, force: true });
  }
  if (withMasterKey) await rm(join(dataDir, MASTER_KEY_FILE), { force: true });
}
