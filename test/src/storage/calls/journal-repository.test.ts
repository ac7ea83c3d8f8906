import { expect, it } from 'vitest';
import type { TranscriptEntry } from '../../../../engine/ports/journal.ts';
import { createCallDeletionRepository } from '../../../../src/storage/calls/call-deletion-repository.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { createJournalRepository, type JournalBatch } from '../../../../src/storage/calls/journal-repository.ts';
import { transcriptAnswer } from '../../../../src/storage/calls/transcript-record.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import { EXAMPLE_TURN } from '../../../engine/metrics/example-turn.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';

async function journalOfCall(database: Database) {
  const call = newCall(await storeAgent(database));
  await createCallRepository(database).createCall(call);
  const journal = createJournalRepository(database);
  const append = (entries: JournalBatch['entries']) =>
    journal.appendJournal(call.id, { entries, startedWallMs: START_MS });
  return { callId: call.id, journal, append };
}

function user(sequence: number, startUs: number, content: string): TranscriptEntry {
  return { role: 'user', sequence, startUs, endUs: startUs + 500_000, content };
}

/** One of each role, out of order. */
const ENTRIES: TranscriptEntry[] = [
  {
    role: 'agent',
    sequence: 1,
    startUs: 1_000_000,
    endUs: null,
    content: 'Hel',
    interrupted: true,
    generatedContent: 'Hello',
  },
  {
    ...user(0, 2_000_000, 'Hi there'),
    role: 'user',
    parts: [
      { startUs: 2_000_000, endUs: 2_100_000, content: 'Hi' },
      { startUs: 2_400_000, endUs: 2_500_000, content: 'there' },
    ],
  },
  {
    role: 'tool_call',
    sequence: 2,
    startUs: 3_000_000,
    endUs: null,
    content: '',
    toolCallId: 't1',
    name: 'f',
    toolType: 'custom_function',
    arguments: { a: 1 },
  },
  {
    role: 'tool_response',
    sequence: 3,
    startUs: 3_500_000,
    endUs: null,
    content: 'ok',
    toolCallId: 't1',
    name: 'f',
    successful: true,
    httpStatus: 200,
  },
  {
    role: 'state_transition',
    sequence: 4,
    startUs: 4_000_000,
    endUs: null,
    content: '',
    from: 'a',
    to: '__proto__',
    condition: 'c',
  },
  { role: 'dtmf', sequence: 5, startUs: 5_000_000, endUs: null, content: '12#' },
];

/** `ENTRIES` by the start of speech, as the API returns them. */
const ANSWERS = [
  {
    role: 'agent',
    sequence: 1,
    start_time: '2026-01-01T00:00:01.000Z',
    end_time: null,
    content: 'Hel',
    interrupted: true,
    generated_content: 'Hello',
  },
  {
    role: 'user',
    sequence: 0,
    start_time: '2026-01-01T00:00:02.000Z',
    end_time: '2026-01-01T00:00:02.500Z',
    content: 'Hi there',
    parts: [
      { start_time: '2026-01-01T00:00:02.000Z', end_time: '2026-01-01T00:00:02.100Z', content: 'Hi' },
      { start_time: '2026-01-01T00:00:02.400Z', end_time: '2026-01-01T00:00:02.500Z', content: 'there' },
    ],
  },
  {
    role: 'tool_call',
    sequence: 2,
    start_time: '2026-01-01T00:00:03.000Z',
    end_time: null,
    content: '',
    tool_call_id: 't1',
    name: 'f',
    type: 'custom_function',
    arguments: { a: 1 },
  },
  {
    role: 'tool_response',
    sequence: 3,
    start_time: '2026-01-01T00:00:03.500Z',
    end_time: null,
    content: 'ok',
    tool_call_id: 't1',
    name: 'f',
    successful: true,
    http_status: 200,
  },
  {
    role: 'state_transition',
    sequence: 4,
    start_time: '2026-01-01T00:00:04.000Z',
    end_time: null,
    content: '',
    from: 'a',
    to: '__proto__',
    condition: 'c',
  },
  { role: 'dtmf', sequence: 5, start_time: '2026-01-01T00:00:05.000Z', end_time: null, content: '12#' },
];

onEachDatabase((temporaryDatabase) => {
  it.each([
    ['U+0000', '\0'],
    ['a lone surrogate', '\ud800'],
  ])('stores what a party says with %s, as the replacement character', async (_, odd) => {
    const { callId, journal, append } = await journalOfCall(await temporaryDatabase());
    const value = { [`key${odd}`]: [`a${odd}b`, '\\u0000 \u001f 😀'] };
    await append([
      { type: 'transcript', entry: user(0, 0, `said ${odd} 😀`) },
      { type: 'variable', name: 'result', variableType: 'object', value, atUs: 0 },
    ]);
    expect((await journal.transcript(callId)).map(({ content }) => content)).toEqual(['said \ufffd 😀']);
    const [variable] = await journal.variables(callId);
    expect(variable?.value).toEqual({ 'key\ufffd': ['a\ufffdb', '\\u0000 \u001f 😀'] });
  });

  it('the transcript is ordered by the start of speech, and every role keeps its fields', async () => {
    const { callId, journal, append } = await journalOfCall(await temporaryDatabase());
    await append(ENTRIES.map((entry) => ({ type: 'transcript', entry })));
    expect((await journal.transcript(callId)).map(transcriptAnswer)).toEqual(ANSWERS);
  });

  it('an entry replaces an earlier entry with the same sequence, in one batch and across batches', async () => {
    const { callId, journal, append } = await journalOfCall(await temporaryDatabase());
    await append([
      { type: 'transcript', entry: user(1, 0, 'I') },
      { type: 'transcript', entry: user(1, 0, 'I would') },
    ]);
    await append([{ type: 'transcript', entry: user(1, 0, 'I would like') }]);
    expect((await journal.transcript(callId)).map(({ content }) => content)).toEqual(['I would like']);
  });

  it('the newest value of a variable is kept, with any JSON type', async () => {
    const { callId, journal, append } = await journalOfCall(await temporaryDatabase());
    const variable = (name: string, value: string | null | { a: number[] }, atUs: number) =>
      ({ type: 'variable', name, variableType: 'string', value, atUs }) as const;
    await append([variable('a', 'one', 0), variable('b', { a: [1] }, 1_000)]);
    await append([variable('a', null, 2_000_000), { type: 'variables_resolved', atUs: 2_000_000 }]);
    expect(await journal.variables(callId)).toEqual([
      { name: 'b', type: 'string', value: { a: [1] }, updatedMs: START_MS + 1 },
      { name: 'a', type: 'string', value: null, updatedMs: START_MS + 2_000 },
    ]);
  });

  it('a later record of a turn replaces the earlier one, with its time since 1970', async () => {
    const { callId, journal, append } = await journalOfCall(await temporaryDatabase());
    await append([
      { type: 'turn', record: { ...EXAMPLE_TURN, turn: 2, ducked: 0 }, isClosed: false },
      { type: 'turn', record: EXAMPLE_TURN, isClosed: true },
      { type: 'turn', record: { ...EXAMPLE_TURN, turn: 2 }, isClosed: true },
    ]);
    const stored = { ...EXAMPLE_TURN, startUs: START_MS * 1_000 + EXAMPLE_TURN.startUs };
    expect(await journal.turns(callId)).toEqual([stored, { ...stored, turn: 2 }]);
  });

  it('spans are stored with their times since 1970, a part stored again counts once, and deletion removes them', async () => {
    const database = await temporaryDatabase();
    const { callId, journal, append } = await journalOfCall(database);
    const sound = { type: 'voice_activity', fromUs: 1_000_000, toUs: 2_000_000 } as const;
    const model = {
      type: 'model',
      fromUs: 2_000_000,
      toUs: 4_000_000,
      outcome: 'answered',
      firstTokenUs: 3_000_000,
      firstTextUs: null,
      error: null,
    } as const;
    await append([
      { type: 'spans', part: 2, spans: [model] },
      { type: 'transcript', entry: user(1, 0, 'I') },
    ]);
    await append([{ type: 'spans', part: 1, spans: [sound, sound] }]);
    await append([{ type: 'spans', part: 1, spans: [sound] }]);
    const startedUs = START_MS * 1_000;
    expect(await journal.spans(callId)).toEqual([
      { ...sound, fromUs: startedUs + 1_000_000, toUs: startedUs + 2_000_000 },
      { ...model, fromUs: startedUs + 2_000_000, toUs: startedUs + 4_000_000, firstTokenUs: startedUs + 3_000_000 },
    ]);
    await createCallRepository(database).finish(callId, { status: 'failed', endReason: 'sip_error', atMs: START_MS });
    await createCallDeletionRepository(database).deleteContent(callId, START_MS);
    expect(await journal.spans(callId)).toEqual([]);
  });

  it('calls have separate journals, and an unknown call accepts no entries', async () => {
    const database = await temporaryDatabase();
    const agentId = await storeAgent(database);
    const calls = createCallRepository(database);
    const journal = createJournalRepository(database);
    const [one, two] = [newCall(agentId), newCall(agentId)];
    await calls.createCall(one);
    await calls.createCall(two);
    const entries = [{ type: 'transcript', entry: user(1, 0, 'secret') }] as const;
    await journal.appendJournal(one.id, { entries, startedWallMs: START_MS });
    expect(await journal.transcript(two.id)).toEqual([]);
    const unknown = '00000000-0000-4000-8000-00000000000f';
    const append = journal.appendJournal(unknown, { entries, startedWallMs: START_MS });
    if (database.kind === 'postgres') expect(await append).toBe(false);
    else await expect(append).rejects.toMatchObject({ fault: 'constraint' });
    expect(await journal.transcript(unknown)).toEqual([]);
  });
});
