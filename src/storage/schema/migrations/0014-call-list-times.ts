import type { Migration } from '../migrate.ts';

/** The order of the list with the time of the answer beside it: a span of time is listed, and counted, from the index alone. */
export const callListTimes: Migration = {
  name: '0014-call-list-times',
  statements: ({ schema }) => [
    schema.createIndex('calls_listed_started').on('calls').columns(['organization_id', 'listed_us', 'start_ms']),
  ],
};
