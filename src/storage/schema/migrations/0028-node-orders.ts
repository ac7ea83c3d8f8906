import type { Migration } from '../migrate.ts';

/** What one node is asked to put into a call of another. */
export const nodeOrders: Migration = {
  name: '0028-node-orders',
  statements: ({ schema }) => [
    schema
      .createTable('node_orders')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('order_json', 'text', (c) => c.notNull())
      .addColumn('created_ms', 'bigint', (c) => c.notNull()),
  ],
};
