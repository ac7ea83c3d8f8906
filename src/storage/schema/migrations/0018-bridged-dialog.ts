import type { Migration } from '../migrate.ts';

/** The dialog of whom a call was bridged to, for another process to end it. */
export const bridgedDialog: Migration = {
  name: '0018-bridged-dialog',
  statements: ({ schema }) => [schema.alterTable('calls').addColumn('bridged_dialog_json', 'text')],
};
