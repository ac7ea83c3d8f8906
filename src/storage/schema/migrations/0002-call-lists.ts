import type { Migration } from '../migrate.ts';

/** What a list of calls can be filtered by; each is listed newest first within its value. */
const FILTERS = ['agent_id', 'type', 'from_number', 'to_number'] as const;

/** An index a filter, so that a page of calls is read from its place on, however many calls there are. */
export const callLists: Migration = {
  name: '0002-call-lists',
  statements: ({ schema }) =>
    FILTERS.map((filter) =>
      schema.createIndex(`calls_listed_by_${filter}`).on('calls').columns(['organization_id', filter, 'listed_us']),
    ),
};
