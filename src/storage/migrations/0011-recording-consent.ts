import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** `given` or `refused`; null: the user was not asked. */
export const recordingConsent: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema.alterTable('calls').addColumn('recording_consent', 'text').execute();
  },
};
