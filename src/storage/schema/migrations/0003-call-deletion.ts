import type { Migration } from '../migrate.ts';

/** When what was said on a call was removed; its bare record stays. */
export const callDeletion: Migration = {
  name: '0003-call-deletion',
  statements: ({ schema }) => [schema.alterTable('calls').addColumn('deleted_ms', 'bigint')],
};
