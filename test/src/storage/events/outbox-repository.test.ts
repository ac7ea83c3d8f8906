import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import { expect, it } from 'vitest';
import { EVENT_DATA_SCHEMAS } from '../../../../src/background/webhooks/event-kinds.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../../src/storage/access/organization-repository.ts';
import { createAgentRepository } from '../../../../src/storage/agents/agent-repository.ts';
import { createCallDeletionRepository } from '../../../../src/storage/calls/call-deletion-repository.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { createJournalRepository } from '../../../../src/storage/calls/journal-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import { DUE_PER_AGENT_MAX, dueEvents, nextAttempt } from '../../../../src/storage/events/due-events.ts';
import {
  createOutboxRepository,
  type DeliveryAttempt,
  type OutboxRepository,
} from '../../../../src/storage/events/outbox-repository.ts';
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../../../src/storage/events/webhook-event.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';

const URL = 'https://receiver.test/hook';
const MANY_EVENTS = 2_000;
const ROWS_AT_ONCE = 500;
const LATER_MS = START_MS + 3_600_000;
const REFUSED: DeliveryAttempt = { attemptedMs: LATER_MS, durationMs: 12.5, httpStatus: 500, outcome: 'no' };

/** A query whose plan can be read. */
interface Explained {
  explain(format?: 'json', options?: RawBuilder<unknown>): Promise<readonly Record<string, unknown>[]>;
}

async function callOf(
  database: Database,
  webhookSubscriptions: readonly WebhookEventType[] = WEBHOOK_EVENT_TYPES,
  webhookUrl: string | null = URL,
) {
  const agentId = await storeAgent(database, { webhookUrl, webhookSubscriptions });
  const call = newCall(agentId, { status: 'ringing' });
  await createCallRepository(database).createCall(call);
  return { agentId, callId: call.id };
}

async function answerAndEnd(database: Database, callId: string): Promise<void> {
  const calls = createCallRepository(database);
  await calls.setStatus(callId, { from: ['ringing'], to: 'in_progress', atMs: START_MS + 1_000 });
  await calls.finish(callId, { status: 'completed', endReason: 'caller_hangup', atMs: START_MS + 31_400 });
}

async function storedTypes(database: Database, status = 'pending'): Promise<unknown[]> {
  const rows = await database.query
    .selectFrom('call_events')
    .select(['sequence', 'type'])
    .where('status', '=', status)
    .orderBy('sequence')
    .execute();
  return rows.map(({ sequence, type }) => [sequence, type]);
}

/** Delivers all due events, and returns the sequences of a call in the order of delivery. */
async function drained(outbox: OutboxRepository, callId: string): Promise<number[]> {
  const sequences: number[] = [];
  for (;;) {
    const due = await outbox.dueDeliveries(LATER_MS, 100);
    if (due.length === 0) return sequences;
    for (const event of due) {
      if (event.callId === callId) sequences.push(event.sequence);
      await outbox.markDelivered(event.id, REFUSED);
    }
  }
}

/** Stores due events of a call; the nth is due at `dueMs + n`. */
async function storeDue(
  { query }: Database,
  { agentId, callId }: { readonly agentId: string; readonly callId: string },
  count: number,
  dueMs: number = START_MS,
): Promise<void> {
  const rows = Array.from({ length: count }, (_, nth) => ({
    id: `${callId}-${nth}`,
    organization_id: DEFAULT_ORGANIZATION_ID,
    agent_id: agentId,
    call_id: callId,
    sequence: nth + 1,
    type: 'event_state_changed',
    data_json: '{}',
    url: URL,
    created_ms: START_MS,
    status: 'pending',
    attempts: 0,
    next_attempt_ms: dueMs + nth,
    waits: 0,
  }));
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    await query
      .insertInto('call_events')
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .execute();
  }
}

/** PostgreSQL: the rows that all steps of a query read, those that a condition removed included. */
async function rowsRead(statement: Explained): Promise<number> {
  const [explained] = await statement.explain('json', sql`ANALYZE`);
  let rows = 0;
  JSON.stringify(explained, (_, step) => {
    const loops = step?.['Actual Loops'] ?? 0;
    rows += loops * ((step?.['Actual Rows'] ?? 0) + (step?.['Rows Removed by Filter'] ?? 0));
    return step;
  });
  return rows;
}

async function waiting({ query }: Database): Promise<number> {
  const { rows } = await query.executeQuery<{ readonly n: number }>(
    CompiledQuery.raw('SELECT count(*) AS n FROM call_events WHERE waits = 1'),
  );
  return rows[0]?.n ?? -1;
}

onEachDatabase((temporaryDatabase) => {
  it('each status change stores its events in one batch, with increasing sequences per call', async () => {
    const database = await temporaryDatabase();
    const { callId } = await callOf(database);
    await answerAndEnd(database, callId);
    expect(await storedTypes(database)).toEqual([
      [1, 'event_call_status_changed'],
      [2, 'event_call_started'],
      [3, 'event_call_status_changed'],
      [4, 'event_call_ended'],
    ]);
    const ended = await database.query
      .selectFrom('call_events')
      .select('data_json')
      .where('sequence', '=', 4)
      .execute();
    expect(JSON.parse(ended[0]?.data_json ?? '')).toEqual({
      status: 'completed',
      end_reason: 'caller_hangup',
      start_time: '2026-01-01T00:00:01.000Z',
      end_time: '2026-01-01T00:00:31.400Z',
      duration_seconds: 30,
    });
  });

  it('events stored at the same time have sequences without a gap', async () => {
    const database = await temporaryDatabase();
    const { callId } = await callOf(database);
    const calls = createCallRepository(database);
    const recording = { type: 'event_recording_ready', data: {}, atMs: START_MS } as const;
    await Promise.all([
      ...Array.from({ length: 15 }, () => calls.update(callId, {}, [recording, recording])),
      answerAndEnd(database, callId),
    ]);
    const sequences = (await storedTypes(database)).map((stored) => (Array.isArray(stored) ? stored[0] : null));
    expect(sequences).toEqual(Array.from({ length: 34 }, (_, index) => index + 1));
  });

  it('a change without effect stores no event', async () => {
    const database = await temporaryDatabase();
    const { callId } = await callOf(database);
    const calls = createCallRepository(database);
    await calls.setStatus(callId, { from: ['staged'], to: 'in_progress', atMs: START_MS });
    await calls.claimStaged(callId, START_MS);
    await answerAndEnd(database, callId);
    await calls.finish(callId, { status: 'failed', endReason: 'sip_error', atMs: START_MS });
    expect(await storedTypes(database)).toHaveLength(4);
  });

  it('only subscribed event types are pending; the others are stored in the same order', async () => {
    const database = await temporaryDatabase();
    const { callId } = await callOf(database, ['event_call_ended', 'event_all_variables_resolved']);
    const entries = [
      { type: 'variable', name: 'a', variableType: 'string', value: 'x', atUs: 0 },
      { type: 'variables_resolved', atUs: 1_000 },
      { type: 'state', from: null, to: 'start', atUs: 0 },
    ] as const;
    await createJournalRepository(database).appendJournal(callId, { entries, startedWallMs: START_MS });
    await answerAndEnd(database, callId);
    expect(await storedTypes(database)).toEqual([
      [2, 'event_all_variables_resolved'],
      [7, 'event_call_ended'],
    ]);
    expect(await storedTypes(database, 'unsent')).toEqual([
      [1, 'event_variable_value_updated'],
      [3, 'event_state_changed'],
      [4, 'event_call_status_changed'],
      [5, 'event_call_started'],
      [6, 'event_call_status_changed'],
    ]);
    const [resolved] = await createOutboxRepository(database).dueDeliveries(LATER_MS, 10);
    expect(resolved?.data).toEqual({
      variable_values: [{ name: 'a', type: 'string', value: 'x', timestamp: '2026-01-01T00:00:00.000Z' }],
    });
  });

  it('the latest answering machine result is stored with the call, and each result is an event', async () => {
    const database = await temporaryDatabase();
    const { callId } = await callOf(database, ['event_answer_type_detected']);
    const entries = [
      { type: 'answer_type', answerType: 'human', atUs: 1_000_000 },
      { type: 'answer_type', answerType: 'voicemail', atUs: 3_000_000 },
    ] as const;
    await createJournalRepository(database).appendJournal(callId, { entries, startedWallMs: START_MS });
    expect((await createCallRepository(database).find(callId))?.answerType).toBe('voicemail');
    const [reported] = await createOutboxRepository(database).dueDeliveries(LATER_MS, 10);
    expect(reported?.data).toEqual({ answer_type: 'human', detected_at: '2026-01-01T00:00:01.000Z' });
    expect(EVENT_DATA_SCHEMAS.event_answer_type_detected.safeParse(reported?.data).success).toBe(true);
  });

  it('no event is pending without a receiver or after its removal', async () => {
    const database = await temporaryDatabase();
    const silent = await callOf(database, WEBHOOK_EVENT_TYPES, null);
    const gone = await callOf(database);
    await createAgentRepository(database).disableWebhook(gone.agentId, URL, START_MS);
    await answerAndEnd(database, silent.callId);
    await answerAndEnd(database, gone.callId);
    expect(await storedTypes(database)).toEqual([]);
    expect(await storedTypes(database, 'unsent')).toHaveLength(8);
  });

  it('only the first event of each call is due until it is delivered', async () => {
    const database = await temporaryDatabase();
    const outbox = createOutboxRepository(database);
    const [one, two] = [await callOf(database), await callOf(database)];
    await answerAndEnd(database, one.callId);
    await answerAndEnd(database, two.callId);
    const due = await outbox.dueDeliveries(LATER_MS, 10);
    expect(due.map(({ callId, sequence }) => [callId, sequence])).toEqual(
      expect.arrayContaining([
        [one.callId, 1],
        [two.callId, 1],
      ]),
    );
    expect(due).toHaveLength(2);
    const head = due.find(({ callId }) => callId === one.callId);
    expect(head).toMatchObject({ agentId: one.agentId, url: URL, attempts: 0, data: { status: 'in_progress' } });
    await outbox.markDelivered(head?.id ?? '', { ...REFUSED, httpStatus: 204 });
    const next = await outbox.dueDeliveries(LATER_MS, 10, [two.agentId]);
    expect(next.map(({ callId, sequence }) => [callId, sequence])).toEqual([[one.callId, 2]]);
    expect(await outbox.dueDeliveries(LATER_MS, 1)).toHaveLength(1);
  });

  it('a failed event waits for its next attempt, and the later events of the call wait too', async () => {
    const database = await temporaryDatabase();
    const outbox = createOutboxRepository(database);
    const { callId } = await callOf(database);
    await answerAndEnd(database, callId);
    const [head] = await outbox.dueDeliveries(LATER_MS, 10);
    await outbox.markFailed(head?.id ?? '', REFUSED, LATER_MS + 5_000);
    expect(await outbox.dueDeliveries(LATER_MS, 10)).toEqual([]);
    expect(await outbox.nextAttemptMs(LATER_MS)).toBe(LATER_MS + 5_000);
    const [again] = await outbox.dueDeliveries(LATER_MS + 5_000, 10);
    expect(again).toMatchObject({ id: head?.id, attempts: 1 });
  });

  it('an event that failed three times no longer blocks the queue, and is retried separately', async () => {
    const database = await temporaryDatabase();
    const outbox = createOutboxRepository(database);
    const { callId } = await callOf(database);
    await answerAndEnd(database, callId);
    const [head] = await outbox.dueDeliveries(LATER_MS, 10);
    for (let tries = 0; tries < 3; tries += 1) await outbox.markFailed(head?.id ?? '', REFUSED, LATER_MS + 60_000);
    expect((await outbox.dueDeliveries(LATER_MS, 10)).map(({ sequence }) => sequence)).toEqual([2]);
    const later = await outbox.dueDeliveries(LATER_MS + 60_000, 10);
    expect(later.map(({ sequence }) => sequence).sort()).toEqual([1, 2]);
    await outbox.markFailed(head?.id ?? '', REFUSED, null);
    expect((await outbox.dueDeliveries(LATER_MS + 60_000, 10)).map(({ sequence }) => sequence)).toEqual([2]);
    const log = await database.query.selectFrom('webhook_deliveries').selectAll().orderBy('attempt').execute();
    expect(log.map(({ attempt, http_status }) => [attempt, http_status])).toEqual([
      [1, 500],
      [2, 500],
      [3, 500],
      [4, 500],
    ]);
  });

  it('events of a deleted agent go to its last receiver, and events without a receiver are not sent', async () => {
    const database = await temporaryDatabase();
    const outbox = createOutboxRepository(database);
    const deleted = await callOf(database);
    const silenced = await callOf(database);
    await answerAndEnd(database, deleted.callId);
    await answerAndEnd(database, silenced.callId);
    await database.query.deleteFrom('agents').where('id', '=', deleted.agentId).execute();
    await database.query.updateTable('agents').set({ webhook_url: null }).where('id', '=', silenced.agentId).execute();
    const due = await outbox.dueDeliveries(LATER_MS, 10);
    expect(due.map(({ callId, url }) => [callId, url])).toEqual([[deleted.callId, URL]]);
  });

  it('a failed attempt restores no event after its call was deleted or another node sent it', async () => {
    const database = await temporaryDatabase();
    const outbox = createOutboxRepository(database);
    const [deleted, taken] = [await callOf(database), await callOf(database)];
    await answerAndEnd(database, deleted.callId);
    await answerAndEnd(database, taken.callId);
    const due = await outbox.dueDeliveries(LATER_MS, 10);
    await createCallDeletionRepository(database).deleteContent(deleted.callId, LATER_MS);
    for (const { id, callId } of due) if (callId === taken.callId) await outbox.markDelivered(id, REFUSED);
    for (const { id } of due) await outbox.markFailed(id, REFUSED, LATER_MS);
    const left = await outbox.dueDeliveries(LATER_MS, 10);
    expect(left.map(({ callId, sequence }) => [callId, sequence])).toEqual([[taken.callId, 2]]);
  });

  it('a deleted call has no further events', async () => {
    const database = await temporaryDatabase();
    const { callId } = await callOf(database);
    await answerAndEnd(database, callId);
    await createCallDeletionRepository(database).deleteContent(callId, LATER_MS);
    const recording = { type: 'event_recording_ready', data: {}, atMs: START_MS } as const;
    await createCallRepository(database).update(callId, { recordingComplete: true }, [recording]);
    expect(await storedTypes(database)).toEqual([]);
    expect(await storedTypes(database, 'failed')).toHaveLength(4);
  });

  it('blocked events are not scanned, for any number of them and any cause', async () => {
    const database = await temporaryDatabase();
    const outbox = createOutboxRepository(database);
    const calls = createCallRepository(database);
    const { callId } = await callOf(database);
    const recording = { type: 'event_recording_ready', data: {}, atMs: START_MS } as const;
    const store = () => calls.update(callId, {}, [recording, recording]);
    const taken: number[] = [];
    const settle = async () => {
      for (const { id, attempts, sequence } of await outbox.dueDeliveries(LATER_MS, 100)) {
        if (sequence % 5 === 0 && attempts === 0) await outbox.markFailed(id, REFUSED, LATER_MS);
        else {
          taken.push(sequence);
          await outbox.markDelivered(id, REFUSED);
        }
      }
    };
    for (let round = 0; round < 20; round += 1) await Promise.all([store(), settle(), store()]);
    const [{ length: due }, waitingCount] = [await outbox.dueDeliveries(LATER_MS, 100), await waiting(database)];
    expect(due).toBe(1);
    expect(waitingCount).toBe(80 - taken.length - 1);
    const all = [...taken, ...(await drained(outbox, callId))];
    expect(all).toEqual(Array.from({ length: 80 }, (_, index) => index + 1));
    expect(await waiting(database)).toBe(0);
  });

  it('pending events of agents that receive none are not read, for any number of them', async () => {
    const database = await temporaryDatabase();
    const outbox = createOutboxRepository(database);
    const [off, disabled, busy, open] = [
      await callOf(database),
      await callOf(database),
      await callOf(database),
      await callOf(database),
    ];
    for (const call of [off, disabled, busy]) await storeDue(database, call, MANY_EVENTS);
    await storeDue(database, open, 1);
    await database.query.updateTable('agents').set({ webhook_url: null }).where('id', '=', off.agentId).execute();
    await createAgentRepository(database).disableWebhook(disabled.agentId, URL, START_MS);
    await sql`ANALYZE call_events`.execute(database.query);
    const due = await outbox.dueDeliveries(LATER_MS, 100, [busy.agentId]);
    expect(due.map(({ agentId, url }) => [agentId, url])).toEqual([[open.agentId, URL]]);
    expect(await outbox.nextAttemptMs(LATER_MS)).toBe(null);
    const statements = [
      dueEvents(database.kind, database.query, sql.val(LATER_MS))
        .where('due_agents.agent_id', 'not in', [busy.agentId])
        .limit(100),
      nextAttempt(database.query, sql.val(LATER_MS)),
    ];
    for (const statement of statements) {
      // The plans of SQLite do not depend on the rows: `query-plans.test.ts` reads them.
      if (database.kind === 'postgres') expect(await rowsRead(statement)).toBeLessThan(MANY_EVENTS / 10);
    }
  });

  it('one agent cannot fill the due events: the others have theirs, oldest first', async () => {
    const database = await temporaryDatabase();
    const outbox = createOutboxRepository(database);
    const [loud, quiet] = [await callOf(database), await callOf(database)];
    await storeDue(database, loud, MANY_EVENTS);
    await storeDue(database, quiet, 1, START_MS + MANY_EVENTS);
    const due = await outbox.dueDeliveries(LATER_MS, 100);
    expect(due.map(({ agentId, sequence }) => [agentId, sequence])).toEqual([
      ...Array.from({ length: DUE_PER_AGENT_MAX }, (_, nth) => [loud.agentId, nth + 1]),
      [quiet.agentId, 1],
    ]);
    expect((await outbox.dueDeliveries(START_MS, 100)).map(({ sequence }) => sequence)).toEqual([1]);
    expect(await outbox.nextAttemptMs(START_MS)).toBe(START_MS + 1);
    expect(await outbox.nextAttemptMs(START_MS + MANY_EVENTS)).toBe(null);
  });
});
