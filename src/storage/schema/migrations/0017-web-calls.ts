import type { Migration } from '../migrate.ts';

/** What opens the media of a web call, once. */
export const webCalls: Migration = {
  name: '0017-web-calls',
  statements: ({ schema }) => [schema.alterTable('calls').addColumn('web_token_hash', 'text')],
};
