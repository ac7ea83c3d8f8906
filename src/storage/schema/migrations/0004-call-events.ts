import type { Migration } from '../migrate.ts';

/** The events of every call are kept, for those who watch it live; those that go to no receiver are `unsent`. */
export const callEvents: Migration = {
  name: '0004-call-events',
  statements: ({ schema }) => [schema.alterTable('webhook_events').renameTo('call_events')],
};
