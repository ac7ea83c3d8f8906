import type { Migration } from '../migrate.ts';

/** The processes that share the database, the work that one of them does for all, and whose a call or a request is. */
export const nodes: Migration = {
  name: '0013-nodes',
  statements: ({ schema }) => [
    schema
      .createTable('nodes')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('lease_until_ms', 'bigint', (c) => c.notNull()),
    schema
      .createTable('node_duties')
      .addColumn('duty', 'text', (c) => c.primaryKey())
      .addColumn('node_id', 'text', (c) => c.notNull())
      .addColumn('lease_until_ms', 'bigint', (c) => c.notNull()),
    schema.alterTable('calls').addColumn('node_id', 'text'),
    schema.alterTable('idempotency_keys').addColumn('node_id', 'text'),
  ],
};
