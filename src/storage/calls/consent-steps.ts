import type { ConsentEntry } from '../../../engine/ports/journal.ts';
import type { Step } from '../database/database.ts';
import { prepared } from '../database/prepared-statement.ts';

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
/** One that waits for its delivery keeps its place in the queue. */
const EMPTY_EVENTS = prepared<OfCall>()((query, slot) =>
  query
    .updateTable('call_events')
    .set({ data_json: '{}' })
    .where('call_id', '=', slot('callId'))
    .where('type', 'in', TEXT_EVENTS),
);

/** A receiver may have returned what it was sent. */
const EMPTY_OUTCOMES = prepared<OfCall>()((query, slot) =>
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
export function consentSteps(callId: string, { consent, keepsTranscript }: ConsentEntry): Step[] {
  const stored = { statement: SET_CONSENT.with({ callId, consent }) };
  if (consent !== 'refused' || keepsTranscript === true) return [stored];
  return [
    stored,
    { statement: DELETE_TRANSCRIPT.with({ callId }) },
    { statement: DELETE_VARIABLES.with({ callId }) },
    { statement: EMPTY_EVENTS.with({ callId }) },
    { statement: EMPTY_OUTCOMES.with({ callId }) },
  ];
}
