import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from '../configuration/configuration.ts';
import type { TableColumns, TableSnapshot } from '../storage/link/table-snapshot.ts';
import { openSnapshot } from '../storage/snapshot/open-snapshot.ts';
import { DATABASE_PREFIX, FILES_PREFIX, FORMAT, MANIFEST_ENTRY, type Manifest } from './archive-format.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { contentOf, filesAt, openFile, pathsOf } from './data-files.ts';
import { columnsLine, rowLine } from './row-lines.ts';
import { withoutSealedValues } from './sealed-values.ts';
import { SpooledPaths } from './spooled-paths.ts';

/** Length of a part of a table, in characters: what is in memory at once, apart from one row. */
const PART_LENGTH = 2 * 1024 * 1024;
export const MASTER_KEY_FILE = 'master.key';

export interface BackupOptions {
  readonly configuration: Pick<Configuration, 'dataDir' | 'databaseUrl' | 'masterKey'>;
  readonly path: string;
  /** Version of Trunkline. */
  readonly version: string;
  readonly withRecordings: boolean;
  readonly withSecrets: boolean;
  /** The key that opens the secrets, from `master.key` or `TRUNKLINE_MASTER_KEY`. */
  readonly withMasterKey: boolean;
  readonly nowMs: number;
}

export interface BackupCounts {
  readonly rows: number;
  readonly files: number;
}

/**
 * Writes the database as of now, and the files that belong to it, into one archive, beside the running service. A file may be younger than
 * the database: a recording in progress is cut off where it ends now. Rejects, and leaves no file, if something fails.
 */
export async function createBackup(options: BackupOptions): Promise<BackupCounts> {
  const { configuration, path } = options;
  const snapshot = await openSnapshot(configuration);
  try {
    const archive = await ArchiveWriter.create(path);
    const paths = new SpooledPaths(`${path}.paths`);
    try {
      await archive.addText(MANIFEST_ENTRY, `${JSON.stringify(await manifestOf(options, snapshot), null, 2)}\n`);
      let rows = 0;
      for (const table of snapshot.tables) rows += await addTable(table, { archive, options, paths, snapshot });
      // Files take longer than rows: until its end a snapshot keeps the database from removing what has changed.
      await snapshot.close();
      let files = await addMasterKey(archive, options);
      for await (const wanted of paths.all()) files += await addFiles(archive, configuration.dataDir, wanted);
      await archive.finish();
      return { rows, files };
    } catch (error) {
      await archive.abandon();
      throw error;
    } finally {
      await paths.remove();
    }
  } finally {
    await snapshot.close();
  }
}

async function manifestOf(options: BackupOptions, snapshot: TableSnapshot): Promise<Manifest> {
  return {
    format: FORMAT,
    version: options.version,
    created: new Date(options.nowMs).toISOString(),
    database: snapshot.kind,
    migrations: [...snapshot.migrations],
    recordings: options.withRecordings,
    master_key_proof: options.withSecrets ? await masterKeyProof(snapshot) : null,
    master_key: options.withMasterKey,
  };
}

async function masterKeyProof(snapshot: TableSnapshot): Promise<string | null> {
  const proofs = snapshot.tables.find(({ table }) => table === 'master_key_proof');
  if (proofs === undefined) return null;
  for await (const row of snapshot.rows(proofs)) return String(row[proofs.columns.indexOf('value_sealed')]);
  return null;
}

interface TableAddition {
  readonly archive: ArchiveWriter;
  readonly options: BackupOptions;
  readonly paths: SpooledPaths;
  readonly snapshot: TableSnapshot;
}

/** Returns the number of rows. */
async function addTable(table: TableColumns, { archive, options, paths, snapshot }: TableAddition): Promise<number> {
  const first = columnsLine(table.columns);
  let part = first;
  let parts = 0;
  let count = 0;
  const flush = async () => {
    if (part === first) return;
    parts += 1;
    await archive.addText(`${DATABASE_PREFIX}${table.table}/${String(parts).padStart(6, '0')}.jsonl`, part);
    part = first;
  };
  for await (const row of snapshot.rows(table)) {
    for (const path of pathsOf(table, row, options.withRecordings)) await paths.add(path);
    const kept = options.withSecrets ? row : withoutSealedValues(table, row);
    if (kept === null) continue;
    part += rowLine(kept);
    count += 1;
    if (part.length >= PART_LENGTH) await flush();
  }
  await flush();
  return count;
}

/** Returns the number of files: a recording that was deleted since the snapshot is left out. */
async function addFiles(archive: ArchiveWriter, dataDir: string, wanted: string): Promise<number> {
  let count = 0;
  for (const path of await filesAt(dataDir, wanted)) {
    const opened = await openFile(join(dataDir, path));
    if (opened === null) continue;
    const { file, size } = opened;
    try {
      await archive.add(`${FILES_PREFIX}${path}`, size, contentOf(path, file, size));
      count += 1;
    } finally {
      await file.close();
    }
  }
  return count;
}

async function addMasterKey(archive: ArchiveWriter, { configuration, withMasterKey }: BackupOptions): Promise<number> {
  if (!withMasterKey) return 0;
  const { dataDir, masterKey } = configuration;
  const text =
    masterKey === null
      ? await readFile(join(dataDir, MASTER_KEY_FILE), 'utf8')
      : `${Buffer.from(masterKey).toString('hex')}\n`;
  await archive.addText(`${FILES_PREFIX}${MASTER_KEY_FILE}`, text);
  return 1;
}
