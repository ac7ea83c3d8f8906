import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { DatabaseError } from '../link/database-error.ts';
import type { DatabaseKind } from '../link/database-link.ts';
import { migrationsOf } from './migration-list.ts';

/** The setting that chooses the database, by kind. */
const LOCATION = { sqlite: 'DATA_DIR to another folder', postgres: 'DATABASE_URL to an empty database' };
/** Kysely's message for a stored migration that this program does not have. */
const UNKNOWN_MIGRATION = /previously executed migration (\S+) is missing/;
/** Migrations of builds from before the release of 0.1.0; the baseline includes them. */
const UNRELEASED_MIGRATIONS: readonly string[] = [
  '0002-trunk-identity',
  '0003-redirect-target',
  '0004-before-the-answer',
];
/** The youngest column of the baseline: a build from before the release may have made a baseline without it. */
const YOUNGEST_COLUMN = { table: 'phone_numbers', column: 'sip_header_variables_json' };

export interface MigrationOptions {
  /** The last migration to run. Default: the newest. */
  readonly last?: string;
  /** The caller holds a transaction on the connection. */
  readonly isInTransaction?: boolean;
}

/**
 * Brings the schema up to date with Kysely's `Migrator`: all pending migrations in one transaction, on PostgreSQL under its
 * advisory lock, so that processes may start together. `db` must run on one connection and allow transactions.
 *
 * @throws DatabaseError `incompatible` if this program cannot upgrade the schema.
 */
export async function migrate(
  kind: DatabaseKind,
  db: Kysely<unknown>,
  { last, isInTransaction = false }: MigrationOptions = {},
): Promise<void> {
  await refuseUnreleasedSchema(kind, db);
  const provider = { getMigrations: async () => migrationsOf(kind) };
  const migrator = new Migrator({ db, provider, disableTransactions: isInTransaction });
  const { error } = last === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(last);
  if (error === undefined) return;
  const unknown = error instanceof Error ? UNKNOWN_MIGRATION.exec(error.message)?.[1] : undefined;
  if (unknown === undefined) throw error;
  throw new DatabaseError(
    'incompatible',
    `The database was upgraded by a newer version of Trunkline (migration ${unknown}). Run that version, or restore a backup from before the upgrade.`,
  );
}

/**
 * Refuses the schemas of builds of 0.1.0 from before its release.
 *
 * @throws DatabaseError `incompatible`
 */
export async function refuseUnreleasedSchema(
  kind: DatabaseKind,
  db: Pick<Kysely<unknown>, 'introspection' | 'getExecutor'>,
): Promise<void> {
  if (!(await isUnreleasedSchema(db))) return;
  throw new DatabaseError(
    'incompatible',
    `The database was made by an unreleased build of Trunkline 0.1.0 and cannot be upgraded: set ${LOCATION[kind]}, or run that build again.`,
  );
}

async function isUnreleasedSchema(db: Pick<Kysely<unknown>, 'introspection' | 'getExecutor'>): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const columnsOf = (table: string) => tables.find(({ name }) => name === table)?.columns.map(({ name }) => name);
  if (columnsOf('organizations') === undefined) return false;
  // The first builds listed their migrations in a table of one column.
  if (columnsOf('migrations')?.join() === 'name') return true;
  if (columnsOf(YOUNGEST_COLUMN.table)?.includes(YOUNGEST_COLUMN.column) === false) return true;
  if (columnsOf('kysely_migration') === undefined) return false;
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(db);
  return rows.some(({ name }) => UNRELEASED_MIGRATIONS.includes(name));
}
