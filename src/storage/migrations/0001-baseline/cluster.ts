import type { Kysely } from 'kysely';

export async function createNodeTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('nodes')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('lease_until_ms', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .createTable('node_duties')
    .addColumn('duty', 'text', (c) => c.primaryKey())
    .addColumn('node_id', 'text', (c) => c.notNull())
    .addColumn('lease_until_ms', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .createTable('node_orders')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('order_json', 'text', (c) => c.notNull())
    .addColumn('created_ms', 'bigint', (c) => c.notNull())
    .execute();
}
