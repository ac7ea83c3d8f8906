import type { DatabaseKind } from '../link/database-link.ts';
import type { Driver, Stretch } from './driver.ts';
import { postgresTextDriver } from './postgres-text-driver.ts';
import { sqliteTextDriver } from './sqlite-text-driver.ts';
import type { SearchedPhrase } from './text-query.ts';

/** Calls in which phrases were heard; at least one. */
export async function textDriver(
  kind: DatabaseKind,
  stretch: Stretch,
  phrases: readonly SearchedPhrase[],
): Promise<Driver> {
  switch (kind) {
    case 'sqlite':
      return sqliteTextDriver(stretch, phrases);
    case 'postgres':
      return postgresTextDriver(stretch, phrases);
  }
}
