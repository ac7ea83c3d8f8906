import { expect, it } from 'vitest';
import type { JournalEntry, TranscriptEntry } from '../../../../engine/ports/journal.ts';
import { EVENT_DATA_SCHEMAS } from '../../../../src/background/webhooks/event-kinds.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { createJournalRepository } from '../../../../src/storage/calls/journal-repository.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../../src/storage/events/webhook-event.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';

const VARIABLE_EVENTS = ['event_variable_value_updated', 'event_all_variables_resolved'];

onEachDatabase((temporaryDatabase) => {
  it('every event entry is stored as an event with the data of its kind', async () => {
    const database = await temporaryDatabase();
    const fields = { webhookUrl: 'https://receiver.test/hook', webhookSubscriptions: WEBHOOK_EVENT_TYPES };
    const call = newCall(await storeAgent(database, fields));
    await createCallRepository(database).createCall(call);
    const transfer = { type: 'transfer', destination: '+4930111111', atUs: 4_000_000 } as const;
    const entries: Exclude<JournalEntry, { readonly type: 'ended' }>[] = [
      { type: 'state', from: null, to: 'start', atUs: 0 },
      { type: 'variable', name: 'size', variableType: 'integer', value: 4, atUs: 1_000_000 },
      { type: 'variable', name: 'city', variableType: 'string', value: 'Rome', initial: true, atUs: 0 },
      { type: 'variables_resolved', atUs: 1_000_000 },
      { type: 'tool_called', toolCallId: 't1', name: 'desk', successful: false, atUs: 2_000_000 },
      { ...transfer, phase: 'started', mode: 'refer' },
      { ...transfer, phase: 'started', mode: 'bridge' },
      { ...transfer, phase: 'failed', mode: 'bridge', reason: 'the line is busy' },
      { ...transfer, phase: 'completed', mode: 'refer' },
    ];
    await createJournalRepository(database).appendJournal(call.id, { entries, startedWallMs: START_MS });
    const rows = await database.query
      .selectFrom('call_events')
      .select(['sequence', 'type', 'data_json', 'created_ms'])
      .orderBy('sequence')
      .execute();
    const stored = rows.map((row) => ({ ...row, data: JSON.parse(row.data_json) }));
    const kinds = new Map<string, { safeParse(data: unknown): { readonly success: boolean } }>(
      Object.entries(EVENT_DATA_SCHEMAS),
    );
    for (const { type, data } of stored) expect(kinds.get(type)?.safeParse(data).success, type).toBe(true);
    const updated = stored.filter(({ type }) => type === 'event_variable_value_updated');
    expect(updated.map(({ data }) => data.name)).toEqual(['size']);
    const resolved = stored.find(({ type }) => type === 'event_all_variables_resolved');
    expect(resolved?.data.variable_values.map(({ name }: { readonly name: string }) => name)).toEqual(['size', 'city']);
    const transfers = stored.filter(({ type }) => type.startsWith('event_transfer'));
    expect(transfers.map(({ type, data }) => [type, data])).toEqual([
      ['event_transfer_started', { destination: '+4930111111', mode: 'refer' }],
      ['event_transfer_started', { destination: '+4930111111', mode: 'bridge' }],
      ['event_transfer_failed', { destination: '+4930111111', mode: 'bridge', reason: 'the line is busy' }],
      ['event_transfer_completed', { destination: '+4930111111', mode: 'refer' }],
    ]);
    expect(transfers.map(({ created_ms }) => created_ms)).toEqual(Array.from({ length: 4 }, () => START_MS + 4_000));
  });

  it('a refusal to be recorded leaves events that wait in the form of their kind, without texts and values', async () => {
    const database = await temporaryDatabase();
    const fields = { webhookUrl: 'https://receiver.test/hook', webhookSubscriptions: WEBHOOK_EVENT_TYPES };
    const call = newCall(await storeAgent(database, fields));
    await createCallRepository(database).createCall(call);
    const times = { startUs: 0, endUs: 1_000_000 };
    const tool = { toolCallId: 't1', name: 'book' };
    const said: readonly TranscriptEntry[] = [
      { role: 'user', sequence: 1, ...times, content: 'Anna', parts: [{ ...times, content: 'Anna' }] },
      { role: 'agent', sequence: 2, ...times, content: 'Anna?', generatedContent: 'Anna, yes?', interrupted: true },
      {
        role: 'tool_call',
        sequence: 3,
        ...times,
        ...tool,
        content: '',
        toolType: 'custom',
        arguments: { who: 'Anna' },
      },
      { role: 'tool_response', sequence: 4, ...times, ...tool, content: '{"who":"Anna"}', successful: true },
      { role: 'dtmf', sequence: 5, ...times, content: '2662' },
    ];
    const texts = said.map((entry) => ({ type: 'transcript' as const, entry }));
    const entries: Exclude<JournalEntry, { readonly type: 'ended' }>[] = [
      ...texts,
      { type: 'variable', name: 'who', variableType: 'string', value: { first: 'Anna' }, atUs: 1_000_000 },
      { type: 'variables_resolved', atUs: 1_000_000 },
      { type: 'consent', consent: 'refused', atUs: 2_000_000 },
    ];
    await createJournalRepository(database).appendJournal(call.id, { entries, startedWallMs: START_MS });
    const rows = await database.query
      .selectFrom('call_events')
      .select(['type', 'data_json', 'status'])
      .where('type', 'in', ['event_transcript_updated', ...VARIABLE_EVENTS])
      .orderBy('sequence')
      .execute();
    expect(rows.map(({ type }) => type)).toEqual([...said.map(() => 'event_transcript_updated'), ...VARIABLE_EVENTS]);
    expect(rows.every(({ status }) => status === 'pending')).toBe(true);
    expect(JSON.stringify(rows)).not.toMatch(/Anna|2662/);
    const data = rows.map((row) => JSON.parse(row.data_json));
    for (const one of data.slice(0, said.length)) {
      expect(EVENT_DATA_SCHEMAS.event_transcript_updated.safeParse(one).error).toBeUndefined();
      expect(one.entry.content).toBe('[not recorded]');
    }
    expect(data.slice(0, said.length).map(({ entry }) => [entry.role, entry.sequence])).toEqual(
      said.map(({ role, sequence }) => [role, sequence]),
    );
    expect(data[said.length]).toMatchObject({ name: 'who', value: '[not recorded]' });
    expect(data.at(-1)).toEqual({ variable_values: [] });
  });
});
