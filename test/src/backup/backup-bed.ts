import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createBackup } from '../../../src/backup/create-backup.ts';
import { restoreBackup } from '../../../src/backup/restore-backup.ts';
import { openSnapshot } from '../../../src/storage/snapshot/open-snapshot.ts';
import { emptyPostgresUrl, hasPostgres, temporaryPostgresUrl } from '../../postgres/temporary-postgres.ts';
import { START_MS, temporaryFolder } from '../storage/temporary-database.ts';

/** The data directory and the database of a service. */
export interface Place {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly masterKey: Uint8Array | null;
}

/** The key of the sources, and of the targets unless a test says otherwise. */
export const MASTER_KEY = randomBytes(32);

export interface Kind {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** A place for a service. */
  source(): Promise<Place>;
  /** An empty place for a restore. Key null: it has none. */
  target(masterKey?: Uint8Array | null): Promise<Place>;
}

const newDataDir = async () => join(await temporaryFolder(), 'data');

export const SQLITE: Kind = {
  name: 'SQLite',
  source: async () => ({ dataDir: await newDataDir(), databaseUrl: null, masterKey: MASTER_KEY }),
  target: async (masterKey = MASTER_KEY) => ({ dataDir: await newDataDir(), databaseUrl: null, masterKey }),
};
const POSTGRES: Kind = {
  name: 'PostgreSQL',
  source: async () => ({
    dataDir: await newDataDir(),
    databaseUrl: await temporaryPostgresUrl(),
    masterKey: MASTER_KEY,
  }),
  target: async (masterKey = MASTER_KEY) => ({
    dataDir: await newDataDir(),
    databaseUrl: await emptyPostgresUrl(),
    masterKey,
  }),
};

export const KINDS: readonly Kind[] = [SQLITE, ...(hasPostgres() ? [POSTGRES] : [])];
/** Every pair of a database and the one that its backup is restored into. */
export const PAIRS = KINDS.flatMap((from) => KINDS.map((to) => [from.name, to.name, from, to] as const));

/** The path of a backup that does not exist yet. */
export async function archivePath(): Promise<string> {
  return join(await temporaryFolder(), 'backup.tar');
}

type BackupChoice = Partial<
  Pick<Parameters<typeof createBackup>[0], 'withRecordings' | 'withSecrets' | 'withMasterKey'>
>;

export function backUp(configuration: Place, path: string, choice: BackupChoice = {}) {
  const all = { withRecordings: true, withSecrets: true, withMasterKey: false };
  return createBackup({ configuration, path, version: '0.1.0', nowMs: START_MS, ...all, ...choice });
}

export function restore(configuration: Place, path: string, withSecrets = true) {
  return restoreBackup({ configuration, path, withSecrets });
}

/** All rows of a database by table: columns and values by name, as sorted lines. */
export async function rowsOf(place: Place): Promise<Record<string, string[]>> {
  const snapshot = await openSnapshot(place);
  const rows: Record<string, string[]> = {};
  for (const table of snapshot.tables) {
    const lines: string[] = [];
    for await (const row of snapshot.rows(table)) {
      const fields = row.map((value, place) => [
        table.columns[place],
        value instanceof Uint8Array ? [...value] : value,
      ]);
      lines.push(JSON.stringify(Object.fromEntries(fields.sort(([a], [b]) => String(a).localeCompare(String(b))))));
    }
    rows[table.table] = lines.sort();
  }
  await snapshot.close();
  return rows;
}
