import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DatabaseKind } from '../link/database-link.ts';

/**
 * What the nodes of one database share beside calls: counts for limits, reports of nodes, and our contacts at registrars.
 * `schema/tables.ts` documents the columns.
 */
export function sharedState(kind: DatabaseKind): Migration {
  return {
    up: async ({ schema }: Kysely<unknown>) => {
      await schema
        .createTable('request_windows')
        .addColumn('name', 'text', (c) => c.primaryKey())
        .addColumn('ends_ms', 'bigint', (c) => c.notNull())
        .addColumn('taken', 'bigint', (c) => c.notNull())
        .execute();
      await schema
        .createTable('call_starts')
        .addColumn('name', 'text', (c) => c.primaryKey())
        // SQLite has no arrays, and no other nodes: its table stays empty.
        .addColumn('starts_ms', kind === 'postgres' ? sql`bigint[]` : 'text', (c) => c.notNull())
        .execute();
      await schema
        .createTable('node_reports')
        .addColumn('node_id', 'text', (c) => c.notNull())
        .addColumn('subject', 'text', (c) => c.notNull())
        .addColumn('key', 'text', (c) => c.notNull())
        .addColumn('body_json', 'text', (c) => c.notNull())
        .addPrimaryKeyConstraint('node_reports_pk', ['node_id', 'subject', 'key'])
        .execute();
      await schema
        .createTable('trunk_contacts')
        .addColumn('trunk_id', 'text', (c) => c.notNull().references('sip_trunks.id').onDelete('cascade'))
        .addColumn('contact', 'text', (c) => c.notNull())
        .addColumn('account_json', 'text', (c) => c.notNull())
        .addColumn('expires_ms', 'bigint', (c) => c.notNull())
        .addPrimaryKeyConstraint('trunk_contacts_pk', ['trunk_id', 'contact'])
        .execute();
    },
  };
}
