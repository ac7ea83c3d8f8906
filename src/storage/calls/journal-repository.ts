import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { CallSpan, SpansEntry } from '../../../engine/timeline/call-span.ts';
import type { Database, Step } from '../database/database.ts';
import { lockOwnCall } from '../database/lock-row.ts';
import { prepared } from '../database/prepared-statement.ts';
import { storeEvent, type WebhookEventDraft } from '../events/webhook-event.ts';
import { storableJson } from '../link/storable-text.ts';
import type { JsonObject } from '../schema/json-object.ts';
import type { TranscriptEntryTable, VariableValueTable } from '../schema/tables.ts';
import { consentSteps } from './consent-steps.ts';
import { readSpans, spansStep } from './stored-spans.ts';
import { type TranscriptRecord, transcriptAnswer, transcriptRecord } from './transcript-record.ts';

export interface VariableRecord {
  readonly name: string;
  readonly type: string;
  readonly value: JsonValue;
  readonly updatedMs: number;
}

export interface JournalBatch {
  /** In the order of writing. `ended` goes to `CallRepository.finish`. */
  readonly entries: readonly (Exclude<JournalEntry, { readonly type: 'ended' }> | SpansEntry)[];
  /**
   * One id for each entry, used for its event if it has one. A batch that is appended again after an unknown outcome stores no
   * event twice. Absent: generated.
   */
  readonly eventIds?: readonly string[];
  /** Wall clock at the call's engine time 0, ms since 1970. */
  readonly startedWallMs: number;
}

/** Transcript, variables, turn records and spans of a call. All methods reject with a `DatabaseError`. */
export interface JournalRepository {
  /**
   * Stores entries and their events in one transaction. Batches of one call are appended one after another. False, and nothing
   * stored, if another node has closed the call. An unknown call: false on PostgreSQL, rejected by SQLite.
   */
  appendJournal(callId: string, batch: JournalBatch): Promise<boolean>;
  /** Ordered by start time. */
  transcript(callId: string): Promise<readonly TranscriptRecord[]>;
  /** Transcripts by call id; a call without entries is missing. */
  transcripts(callIds: readonly string[]): Promise<ReadonlyMap<string, readonly TranscriptRecord[]>>;
  /** The newest value of each variable, ordered by time. */
  variables(callId: string): Promise<readonly VariableRecord[]>;
  /** Variables by call id; a call without values is missing. */
  variablesOf(callIds: readonly string[]): Promise<ReadonlyMap<string, readonly VariableRecord[]>>;
  /** `startUs` of a record as in the transcript: µs since 1970. */
  turns(callId: string): Promise<TurnRecord[]>;
  /** In the order of their ends. Times as in the transcript: µs since 1970. */
  spans(callId: string): Promise<CallSpan[]>;
}

interface OfCall {
  readonly callId: string;
}

const TRANSCRIPT = prepared<OfCall>()((query, slot) => transcriptRows(query).where('call_id', '=', slot('callId')));
const VARIABLES = prepared<OfCall>()((query, slot) => variableRows(query).where('call_id', '=', slot('callId')));
const TURNS = prepared<OfCall>()((query, slot) =>
  query.selectFrom('call_turns').select('metrics_json').where('call_id', '=', slot('callId')).orderBy('turn'),
);

export function createJournalRepository(database: Database): JournalRepository {
  const { query } = database;

  const variablesOf = async (callIds: readonly string[]) => {
    return byCall(await variableRows(query).where('call_id', 'in', callIds).execute(), readVariable);
  };
  const variables = async (callId: string) => (await database.rows(VARIABLES.with({ callId }))).map(readVariable);

  const transcripts = async (callIds: readonly string[]) => {
    return byCall(await transcriptRows(query).where('call_id', 'in', callIds).execute(), readEntry);
  };

  return {
    appendJournal: async (callId, batch) => {
      if (batch.entries.length === 0) return true;
      const resolves = batch.entries.some((entry) => entry.type === 'variables_resolved');
      const known = new Map((resolves ? await variables(callId) : []).map((variable) => [variable.name, variable]));
      const steps = batch.entries.flatMap((entry, at) => {
        const id = batch.eventIds?.[at];
        return entrySteps(database, callId, { ...batch, ...(id !== undefined && { id }) }, entry, known);
      });
      return database.atomically([...lockOwnCall(database, callId), ...steps]);
    },
    transcript: async (callId) => (await database.rows(TRANSCRIPT.with({ callId }))).map(readEntry),
    transcripts,
    variables,
    variablesOf,
    turns: async (callId) => {
      const rows = await database.rows(TURNS.with({ callId }));
      return rows.map((row) => JSON.parse(row.metrics_json));
    },
    spans: (callId) => readSpans(database, callId),
  };
}

function transcriptRows(query: Database['query']) {
  return query.selectFrom('transcript_entries').selectAll().orderBy('start_us').orderBy('sequence');
}

function readEntry(row: TranscriptEntryTable): TranscriptRecord {
  return {
    sequence: row.sequence,
    role: row.role as TranscriptRecord['role'],
    startUs: row.start_us,
    endUs: row.end_us,
    content: row.content,
    fields: JSON.parse(row.fields_json),
  };
}

function variableRows(query: Database['query']) {
  return query.selectFrom('variable_values').selectAll().orderBy('updated_ms').orderBy('name');
}

function readVariable(row: VariableValueTable): VariableRecord {
  return { name: row.name, type: row.type, value: JSON.parse(row.value_json), updatedMs: row.updated_ms };
}

function byCall<R extends { readonly call_id: string }, T>(rows: readonly R[], read: (row: R) => T): Map<string, T[]> {
  const calls = new Map<string, T[]>();
  for (const row of rows) {
    const of = calls.get(row.call_id);
    if (of === undefined) calls.set(row.call_id, [read(row)]);
    else of.push(read(row));
  }
  return calls;
}

/** `known` collects the variables up to this entry, for `event_all_variables_resolved`. */
function entrySteps(
  database: Pick<Database, 'kind'>,
  callId: string,
  { startedWallMs, id }: Pick<JournalBatch, 'startedWallMs'> & Pick<WebhookEventDraft, 'id'>,
  entry: JournalBatch['entries'][number],
  known: Map<string, VariableRecord>,
): Step[] {
  const wallMs = (atUs: number): number => Math.round(startedWallMs + atUs / 1_000);
  const event = (type: WebhookEventDraft['type'], data: JsonObject, atMs: number): Step =>
    storeEvent(callId, { ...(id !== undefined && { id }), type, data, atMs });
  switch (entry.type) {
    case 'transcript': {
      const record = transcriptRecord(entry.entry, startedWallMs);
      const atMs = Math.round((record.endUs ?? record.startUs) / 1_000);
      return [
        transcriptStep(callId, record),
        event('event_transcript_updated', { entry: transcriptAnswer(record) }, atMs),
      ];
    }
    case 'variable': {
      const { name, variableType: type, value } = entry;
      const variable: VariableRecord = { name, type, value, updatedMs: wallMs(entry.atUs) };
      known.set(name, variable);
      const stored = variableStep(callId, variable);
      if (entry.initial === true) return [stored];
      return [stored, event('event_variable_value_updated', variableAnswer(variable), variable.updatedMs)];
    }
    case 'variables_resolved':
      return [
        event(
          'event_all_variables_resolved',
          { variable_values: [...known.values()].map(variableAnswer) },
          wallMs(entry.atUs),
        ),
      ];
    case 'state':
      return [event('event_state_changed', { from: entry.from, to: entry.to }, wallMs(entry.atUs))];
    case 'tool_called': {
      const data = { tool_call_id: entry.toolCallId, name: entry.name, successful: entry.successful };
      return [event('event_tool_called', data, wallMs(entry.atUs))];
    }
    case 'transfer': {
      const { destination, mode, reason = '', phase } = entry;
      const data = { destination, mode, ...(phase === 'failed' && { reason }) };
      return [event(TRANSFER_EVENTS[phase], data, wallMs(entry.atUs))];
    }
    case 'answer_type': {
      const atMs = wallMs(entry.atUs);
      const data = { answer_type: entry.answerType, detected_at: new Date(atMs).toISOString() };
      return [
        { statement: SET_ANSWER_TYPE.with({ callId, answerType: entry.answerType }) },
        event('event_answer_type_detected', data, atMs),
      ];
    }
    case 'consent':
      return consentSteps(database, callId, entry);
    case 'turn':
      return [turnStep(callId, { ...entry.record, startUs: startedWallMs * 1_000 + entry.record.startUs })];
    case 'spans':
      return [spansStep(callId, entry, startedWallMs)];
  }
}

const TRANSFER_EVENTS = {
  started: 'event_transfer_started',
  completed: 'event_transfer_completed',
  failed: 'event_transfer_failed',
} as const;

/** In the form of the API and of webhooks. */
export function variableAnswer(variable: VariableRecord) {
  const { name, type, value, updatedMs } = variable;
  return { name, type, value, timestamp: new Date(updatedMs).toISOString() };
}

interface EntryValues {
  readonly callId: string;
  readonly sequence: number;
  readonly role: string;
  readonly startUs: number;
  readonly endUs: number | null;
  readonly content: string;
  readonly fieldsJson: string;
}

const STORE_ENTRY = prepared<EntryValues>()((query, slot) =>
  query
    .insertInto('transcript_entries')
    .values({
      call_id: slot('callId'),
      sequence: slot('sequence'),
      role: slot('role'),
      start_us: slot('startUs'),
      end_us: slot('endUs'),
      content: slot('content'),
      fields_json: slot('fieldsJson'),
    })
    .onConflict((conflict) =>
      conflict.columns(['call_id', 'sequence']).doUpdateSet((eb) => ({
        role: eb.ref('excluded.role'),
        start_us: eb.ref('excluded.start_us'),
        end_us: eb.ref('excluded.end_us'),
        content: eb.ref('excluded.content'),
        fields_json: eb.ref('excluded.fields_json'),
      })),
    ),
);

function transcriptStep(callId: string, record: TranscriptRecord): Step {
  const { content, endUs, fields, role, sequence, startUs } = record;
  const fieldsJson = storableJson(fields);
  return { statement: STORE_ENTRY.with({ callId, sequence, role, startUs, endUs, content, fieldsJson }) };
}

interface VariableValues {
  readonly callId: string;
  readonly name: string;
  readonly type: string;
  readonly valueJson: string;
  readonly updatedMs: number;
}

const STORE_VARIABLE = prepared<VariableValues>()((query, slot) =>
  query
    .insertInto('variable_values')
    .values({
      call_id: slot('callId'),
      name: slot('name'),
      type: slot('type'),
      value_json: slot('valueJson'),
      updated_ms: slot('updatedMs'),
    })
    .onConflict((conflict) =>
      conflict.columns(['call_id', 'name']).doUpdateSet((eb) => ({
        type: eb.ref('excluded.type'),
        value_json: eb.ref('excluded.value_json'),
        updated_ms: eb.ref('excluded.updated_ms'),
      })),
    ),
);

function variableStep(callId: string, { name, type, updatedMs, value }: VariableRecord): Step {
  return { statement: STORE_VARIABLE.with({ callId, name, type, valueJson: storableJson(value), updatedMs }) };
}

const STORE_TURN = prepared<{ callId: string; turn: number; metricsJson: string }>()((query, slot) =>
  query
    .insertInto('call_turns')
    .values({ call_id: slot('callId'), turn: slot('turn'), metrics_json: slot('metricsJson') })
    .onConflict((conflict) =>
      conflict.columns(['call_id', 'turn']).doUpdateSet((eb) => ({ metrics_json: eb.ref('excluded.metrics_json') })),
    ),
);

function turnStep(callId: string, record: TurnRecord): Step {
  return { statement: STORE_TURN.with({ callId, turn: record.turn, metricsJson: storableJson(record) }) };
}

const SET_ANSWER_TYPE = prepared<{ callId: string; answerType: string }>()((query, slot) =>
  query
    .updateTable('calls')
    .set({ answer_type: slot('answerType') })
    .where('id', '=', slot('callId')),
);
