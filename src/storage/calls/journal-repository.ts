import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { CallSpan, SpansEntry } from '../../../engine/timeline/call-span.ts';
import type { Database, Step } from '../database/database.ts';
import { lockRow } from '../database/lock-row.ts';
import { storeEvent, type WebhookEventDraft } from '../events/webhook-event.ts';
import { storableJson } from '../link/storable-text.ts';
import type { JsonObject } from '../schema/json-object.ts';
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
  /** Stores entries and their events in one transaction. Batches of one call are appended one after another. */
  appendJournal(callId: string, batch: JournalBatch): Promise<void>;
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

export function createJournalRepository(database: Database): JournalRepository {
  const { query } = database;

  const variablesOf = async (callIds: readonly string[]) => {
    const rows = await query
      .selectFrom('variable_values')
      .select(['call_id', 'name', 'type', 'value_json', 'updated_ms'])
      .where('call_id', 'in', callIds)
      .orderBy('updated_ms')
      .orderBy('name')
      .execute();
    return byCall(rows, (row) => ({
      name: row.name,
      type: row.type,
      value: JSON.parse(row.value_json),
      updatedMs: row.updated_ms,
    }));
  };
  const variables = async (callId: string) => (await variablesOf([callId])).get(callId) ?? [];

  const transcripts = async (callIds: readonly string[]) => {
    const rows = await query
      .selectFrom('transcript_entries')
      .selectAll()
      .where('call_id', 'in', callIds)
      .orderBy('start_us')
      .orderBy('sequence')
      .execute();
    return byCall(rows, (row) => ({
      sequence: row.sequence,
      role: row.role as TranscriptRecord['role'],
      startUs: row.start_us,
      endUs: row.end_us,
      content: row.content,
      fields: JSON.parse(row.fields_json),
    }));
  };

  return {
    appendJournal: async (callId, batch) => {
      if (batch.entries.length === 0) return;
      const resolves = batch.entries.some((entry) => entry.type === 'variables_resolved');
      const known = new Map((resolves ? await variables(callId) : []).map((variable) => [variable.name, variable]));
      const steps = batch.entries.flatMap((entry, at) => {
        const id = batch.eventIds?.[at];
        return entrySteps(database, callId, { ...batch, ...(id !== undefined && { id }) }, entry, known);
      });
      await database.atomically([...lockRow(database, 'calls', callId), ...steps]);
    },
    transcript: async (callId) => (await transcripts([callId])).get(callId) ?? [],
    transcripts,
    variables,
    variablesOf,
    turns: async (callId) => {
      const rows = await query
        .selectFrom('call_turns')
        .select('metrics_json')
        .where('call_id', '=', callId)
        .orderBy('turn')
        .execute();
      return rows.map((row) => JSON.parse(row.metrics_json));
    },
    spans: (callId) => readSpans(query, callId),
  };
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
  { query }: Database,
  callId: string,
  { startedWallMs, id }: Pick<JournalBatch, 'startedWallMs'> & Pick<WebhookEventDraft, 'id'>,
  entry: JournalBatch['entries'][number],
  known: Map<string, VariableRecord>,
): Step[] {
  const wallMs = (atUs: number): number => Math.round(startedWallMs + atUs / 1_000);
  const event = (type: WebhookEventDraft['type'], data: JsonObject, atMs: number): Step =>
    storeEvent(query, callId, { ...(id !== undefined && { id }), type, data, atMs });
  switch (entry.type) {
    case 'transcript': {
      const record = transcriptRecord(entry.entry, startedWallMs);
      const atMs = Math.round((record.endUs ?? record.startUs) / 1_000);
      return [
        transcriptStep(query, callId, record),
        event('event_transcript_updated', { entry: transcriptAnswer(record) }, atMs),
      ];
    }
    case 'variable': {
      const { name, variableType: type, value } = entry;
      const variable: VariableRecord = { name, type, value, updatedMs: wallMs(entry.atUs) };
      known.set(name, variable);
      const stored = variableStep(query, callId, variable);
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
        { statement: query.updateTable('calls').set({ answer_type: entry.answerType }).where('id', '=', callId) },
        event('event_answer_type_detected', data, atMs),
      ];
    }
    case 'turn':
      return [turnStep(query, callId, { ...entry.record, startUs: startedWallMs * 1_000 + entry.record.startUs })];
    case 'spans':
      return [spansStep(query, callId, entry, startedWallMs)];
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

function transcriptStep(query: Database['query'], callId: string, record: TranscriptRecord): Step {
  const columns = {
    role: record.role,
    start_us: record.startUs,
    end_us: record.endUs,
    content: record.content,
    fields_json: storableJson(record.fields),
  };
  const statement = query
    .insertInto('transcript_entries')
    .values({ call_id: callId, sequence: record.sequence, ...columns })
    .onConflict((conflict) => conflict.columns(['call_id', 'sequence']).doUpdateSet(columns));
  return { statement };
}

function variableStep(query: Database['query'], callId: string, variable: VariableRecord): Step {
  const columns = {
    type: variable.type,
    value_json: storableJson(variable.value),
    updated_ms: variable.updatedMs,
  };
  const statement = query
    .insertInto('variable_values')
    .values({ call_id: callId, name: variable.name, ...columns })
    .onConflict((conflict) => conflict.columns(['call_id', 'name']).doUpdateSet(columns));
  return { statement };
}

function turnStep(query: Database['query'], callId: string, record: TurnRecord): Step {
  const columns = { metrics_json: storableJson(record) };
  const statement = query
    .insertInto('call_turns')
    .values({ call_id: callId, turn: record.turn, ...columns })
    .onConflict((conflict) => conflict.columns(['call_id', 'turn']).doUpdateSet(columns));
  return { statement };
}
