import type { Migration } from '../migrate.ts';

/** The call that a key's request has made, stored with it: known also where the process died before it answered. */
export const idempotentCalls: Migration = {
  name: '0031-idempotent-calls',
  statements: ({ schema }) => [schema.alterTable('idempotency_keys').addColumn('call_id', 'text')],
};
