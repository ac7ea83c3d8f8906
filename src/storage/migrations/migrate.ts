import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { DatabaseError } from '../link/database-error.ts';
import type { DatabaseKind } from '../link/database-link.ts';
import { migrationsOf } from './migration-list.ts';

/** Where the database of a kind is chosen. */
const LOCATION = { sqlite: 'DATA_DIR to another folder', postgres: 'DATABASE_URL to an empty database' };
/** Kysely's message for a stored migration that this program does not have. */
const UNKNOWN_MIGRATION = /previously executed migration (\S+) is missing/;

/**
 * Brings the schema up to date with Kysely's `Migrator`: all pending migrations in one transaction, on PostgreSQL under its
 * advisory lock, so that processes may start together. `db` must run on one connection and allow transactions.
 *
 * @throws DatabaseError `incompatible` if this program cannot upgrade the schema.
 */
export async function migrate(kind: DatabaseKind, db: Kysely<unknown>): Promise<void> {
  await refuseUnreleasedSchema(kind, db);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrationsOf(kind) } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const unknown = error instanceof Error ? UNKNOWN_MIGRATION.exec(error.message)?.[1] : undefined;
  if (unknown === undefined) throw error;
  throw new DatabaseError(
    'incompatible',
    `The database was upgraded by a newer version of Trunkline (migration ${unknown}). Run that version, or restore a backup from before the upgrade.`,
  );
}

/**
 * Builds of 0.1.0 from before its release listed their migrations in a table `migrations` with one column.
 *
 * @throws DatabaseError `incompatible`
 */
export async function refuseUnreleasedSchema(
  kind: DatabaseKind,
  db: Pick<Kysely<unknown>, 'introspection'>,
): Promise<void> {
  const tables = await db.introspection.getTables();
  const isUnreleased = tables.some(
    ({ name, columns }) => name === 'migrations' && columns.length === 1 && columns[0]?.name === 'name',
  );
  if (!isUnreleased || tables.every(({ name }) => name !== 'organizations')) return;
  throw new DatabaseError(
    'incompatible',
    `The database was made by an unreleased build of Trunkline 0.1.0 and cannot be upgraded: set ${LOCATION[kind]}, or run that build again.`,
  );
}
