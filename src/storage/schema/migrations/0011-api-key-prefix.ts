import type { Migration } from '../migrate.ts';

/** The beginning of a key, by which people tell their keys apart; keys that were made before have none. */
export const apiKeyPrefix: Migration = {
  name: '0011-api-key-prefix',
  statements: ({ schema }) => [
    schema.alterTable('api_keys').addColumn('prefix', 'text', (c) => c.notNull().defaultTo('')),
  ],
};
