import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DatabaseKind } from '../link/database-link.ts';

/** Filters of the audit log that had no index, alone and together. */
const AUDIT_FILTERS = {
  audit_log_by_key: ['key_id'],
  audit_log_by_action: ['action'],
  audit_log_by_key_and_action: ['key_id', 'action'],
} as const;
/** PostgreSQL: tables with a row or more for each call. */
const LARGE_TABLES = ['calls', 'call_texts', 'call_metadata', 'call_events', 'audit_log'] as const;
/**
 * PostgreSQL: share of changed rows after which autovacuum runs, a tenth of the default. A count reads the index alone only where the
 * table is vacuumed, and estimates of common values are as old as the last analysis.
 */
const CHANGED_SHARE = 0.02;

/** Indexes and settings for lists of millions of rows. */
export function largeLists(kind: DatabaseKind): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      for (const [name, filters] of Object.entries(AUDIT_FILTERS)) {
        await db.schema
          .createIndex(name)
          .on('audit_log')
          .columns(['organization_id', ...filters, 'at_ms', 'id'])
          .execute();
      }
      if (kind === 'sqlite') return;
      for (const table of LARGE_TABLES) {
        await sql`ALTER TABLE ${sql.ref(table)} SET (autovacuum_vacuum_scale_factor = ${sql.lit(CHANGED_SHARE)},
          autovacuum_vacuum_insert_scale_factor = ${sql.lit(CHANGED_SHARE)},
          autovacuum_analyze_scale_factor = ${sql.lit(CHANGED_SHARE)})`.execute(db);
      }
    },
  };
}
