import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Recordings of which it is not stored yet whether they are whole: a few at any moment, and read at each start. */
export const unfinishedRecordings: Migration = {
  name: '0020-unfinished-recordings',
  statements: ({ schema }) => [
    schema
      .createIndex('calls_recording_unfinished')
      .on('calls')
      .column('recording_path')
      .where(sql.ref('recording_path'), 'is not', null)
      .where(sql.ref('recording_complete'), 'is', null),
  ],
};
