import { type RawBuilder, sql } from 'kysely';
import { type ConsentEntry, NOT_RECORDED } from '../../../engine/ports/journal.ts';
import type { Database, Step } from '../database/database.ts';
import { PreparedVariants, prepared } from '../database/prepared-statement.ts';

interface OfCall {
  readonly callId: string;
}

/** Events with texts of the conversation. */
const TEXT_EVENTS = [
  'event_transcript_updated',
  'event_variable_value_updated',
  'event_all_variables_resolved',
] as const;

const SET_CONSENT = prepared<OfCall & { readonly consent: string }>()((query, slot) =>
  query
    .updateTable('calls')
    .set({ recording_consent: slot('consent') })
    .where('id', '=', slot('callId')),
);
const DELETE_TRANSCRIPT = prepared<OfCall>()((query, slot) =>
  query.deleteFrom('transcript_entries').where('call_id', '=', slot('callId')),
);
const DELETE_VARIABLES = prepared<OfCall>()((query, slot) =>
  query.deleteFrom('variable_values').where('call_id', '=', slot('callId')),
);
const CONTENT = sql.lit(NOT_RECORDED);
const CONTENT_JSON = sql.lit(JSON.stringify(NOT_RECORDED));
/** The data of a text event without its texts and values, still in the form of its kind. Paths that the data does not have stay absent. */
const WITHOUT_TEXTS: Readonly<Record<Database['kind'], RawBuilder<string>>> = {
  sqlite: sql`json_replace(json_remove(data_json, '$.entry.parts', '$.entry.generated_content'),
    '$.entry.content', ${CONTENT}, '$.entry.arguments', json('{}'), '$.value', ${CONTENT}, '$.variable_values', json('[]'))`,
  postgres: sql`jsonb_set(jsonb_set(jsonb_set(jsonb_set(
    data_json::jsonb #- '{entry,parts}' #- '{entry,generated_content}',
    '{entry,content}', ${CONTENT_JSON}, false), '{entry,arguments}', '{}', false),
    '{value}', ${CONTENT_JSON}, false), '{variable_values}', '[]', false)::text`,
};
/** An event that waits for its delivery keeps its place in the queue. */
const CLEAR_EVENTS = new PreparedVariants((kind: Database['kind']) =>
  prepared<OfCall>()((query, slot) =>
    query
      .updateTable('call_events')
      .set({ data_json: WITHOUT_TEXTS[kind] })
      .where('call_id', '=', slot('callId'))
      .where('type', 'in', TEXT_EVENTS),
  ),
);

/** A receiver may have returned what it was sent. */
const CLEAR_OUTCOMES = prepared<OfCall>()((query, slot) =>
  query
    .updateTable('webhook_deliveries')
    .set({ outcome: '' })
    .where('event_id', 'in', (events) =>
      events
        .selectFrom('call_events')
        .select('call_events.id')
        .where('call_events.call_id', '=', slot('callId'))
        .where('call_events.type', 'in', TEXT_EVENTS),
    ),
);

/** Stores what the user has said to the recording. A refusal deletes the conversation so far, unless the agent keeps transcripts. */
export function consentSteps(
  { kind }: Pick<Database, 'kind'>,
  callId: string,
  { consent, keepsTranscript }: ConsentEntry,
): Step[] {
  const stored = { statement: SET_CONSENT.with({ callId, consent }) };
  if (consent !== 'refused' || keepsTranscript === true) return [stored];
  return [
    stored,
    { statement: DELETE_TRANSCRIPT.with({ callId }) },
    { statement: DELETE_VARIABLES.with({ callId }) },
    { statement: CLEAR_EVENTS.of(kind).with({ callId }) },
    { statement: CLEAR_OUTCOMES.with({ callId }) },
  ];
}
