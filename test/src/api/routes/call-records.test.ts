import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { recordingPathOf } from '../../../../src/calls/recording/recording-path.ts';
import { newCall } from '../../storage/temporary-database.ts';
import { createAgent, OTHER_KEY, READ_KEY, sharedApi, type TestApi, testApi, writeOnlyKey } from '../test-api.ts';

const shared = sharedApi();
const UNKNOWN_ID = '00000000-0000-4000-8000-00000000000f';

async function storedCall(api: TestApi, agentId?: string): Promise<string> {
  const call = newCall(agentId ?? (await createAgent(api)), { nowMs: api.clock.nowMs });
  await api.repositories.calls.createCall(call);
  return call.id;
}

async function endCall(api: TestApi, callId: string): Promise<void> {
  const end = { status: 'completed', endReason: 'caller_hangup', atMs: api.clock.nowMs } as const;
  await api.repositories.calls.finish(callId, end);
}

async function addSpeech(api: TestApi, callId: string, content: string): Promise<void> {
  const entry = { role: 'user', sequence: 1, startUs: 0, endUs: 1_000, content } as const;
  await api.repositories.journal.appendJournal(callId, {
    startedWallMs: api.clock.nowMs,
    entries: [
      { type: 'transcript', entry },
      { type: 'variable', name: 'name', variableType: 'string', value: content, atUs: 500 },
    ],
  });
}

it('lists only running calls on request', async () => {
  const api = await testApi();
  const agentId = await createAgent(api);
  const ended = await storedCall(api, agentId);
  const running = await storedCall(api, agentId);
  await endCall(api, ended);
  const listed = async (query: string) =>
    (await api.ask('GET', `/v1/calls${query}`)).body.data.map((call: { id: string }) => call.id);
  expect(await listed('?running=true')).toEqual([running]);
  expect(await listed('?running=false')).toEqual([running, ended]);
});

it('calls are listed by cursor or page, with transcripts and variables only on request', async () => {
  const api = await testApi();
  const agentId = await createAgent(api);
  const ids: string[] = [];
  for (let nth = 0; nth < 3; nth++) {
    api.clock.advance(1_000);
    const id = await storedCall(api, agentId);
    await addSpeech(api, id, `call ${nth}`);
    ids.unshift(id);
  }
  const first = await api.ask('GET', '/v1/calls?limit=2');
  expect(first.body.data.map((call: { id: string }) => call.id)).toEqual(ids.slice(0, 2));
  expect(first.body.next_cursor).toMatch(/^2026-01-01T00:00:02\.000\d{3}Z$/);
  expect(first.body).not.toHaveProperty('total_items');
  expect(first.body.data[0]).toMatchObject({ transcript: [], transcript_string: '', variable_values: [] });

  const rest = await api.ask('GET', `/v1/calls?limit=2&cursor=${first.body.next_cursor}&include_transcript=true`);
  expect(rest.body.data).toMatchObject([{ id: ids[2], transcript_string: 'User: call 0', variable_values: [] }]);
  expect(rest.body.next_cursor).toBeNull();

  const page = await api.ask('GET', '/v1/calls?use_cursor=false&limit=2&page=2&include_variable_values=true');
  expect(page.body).toMatchObject({ current_page: 2, total_pages: 2, total_items: 3 });
  expect(page.body).not.toHaveProperty('next_cursor');
  expect(page.body.data).toMatchObject([{ id: ids[2], transcript: [], variable_values: [{ value: 'call 0' }] }]);
});

it('query filters apply, and another organization sees no calls', async () => {
  const api = await testApi();
  const callId = await storedCall(api);
  await api.repositories.calls.update(callId, { startMs: Date.UTC(2026, 0, 1, 0, 20) });
  const countOf = async (query: string, key?: string) =>
    (await api.ask('GET', `/v1/calls?${query}`, undefined, key)).body.data.length;
  expect(await countOf('from_number=%2B4915112345678&type=phone_call')).toBe(1);
  const paged = await api.ask('GET', '/v1/calls?from_number=%2B4915112345678&type=phone_call&use_cursor=false');
  expect(paged.body).toMatchObject({ total_items: 1, total_pages: 1, data: [{ id: callId }] });
  expect(await countOf('start_time_gt=2026-01-01T00:19:59.999Z&start_time_lt=2026-01-01T01:20:00.001%2B01:00')).toBe(1);
  expect(await countOf('start_time_gt=2026-01-01T00:20:00Z')).toBe(0);
  expect(await countOf('created_at_gt=2025-12-31T23:59:59.999Z&created_at_lt=2026-01-01T01:00:00.001%2B01:00')).toBe(1);
  expect(await countOf('created_at_gt=2026-01-01T00:00:00Z')).toBe(0);
  // A time without a zone is UTC, whatever the zone of the process.
  vi.stubEnv('TZ', 'America/New_York');
  expect(await countOf('start_time_gt=2026-01-01T00:19:59&start_time_lt=2026-01-01T00:20:00.001')).toBe(1);
  expect(await countOf('start_time_gt=2026-01-01T00:20:00')).toBe(0);
  vi.unstubAllEnvs();
  expect(await countOf(`agent_id=${UNKNOWN_ID}`)).toBe(0);
  expect(await countOf('', OTHER_KEY)).toBe(0);
});

it('lists calls by status, direction, end reason, answer type, cost, response time and metadata', async () => {
  const api = await testApi();
  const agentId = await createAgent(api);
  const plain = await storedCall(api, agentId);
  const dear = await storedCall(api, agentId);
  await api.repositories.calls.update(dear, {
    answerType: 'voicemail',
    cost: 2.5,
    metrics: { response_ms: { median: 1_200, p95: 3_000 } },
  });
  await api.ask('PATCH', `/v1/calls/${dear}`, { metadata: { campaign: 'spring', nth: 7 } });
  await endCall(api, dear);
  const listed = async (query: string) => {
    const { body } = await api.ask('GET', `/v1/calls?${query}`);
    return body.data.map((call: { id: string }) => call.id);
  };
  expect(await listed('status=completed')).toEqual([dear]);
  expect(await listed('status=initiated')).toEqual([plain]);
  expect(await listed('direction=inbound')).toEqual([dear, plain]);
  expect(await listed('direction=outbound')).toEqual([]);
  expect(await listed('end_reason=caller_hangup')).toEqual([dear]);
  expect(await listed('answer_type=voicemail')).toEqual([dear]);
  expect(await listed('cost_gt=2.4')).toEqual([dear]);
  expect(await listed('cost_gt=2.5')).toEqual([]);
  expect(await listed('cost_lt=2.5')).toEqual([plain]);
  expect(await listed('response_ms_gt=1199&response_ms_lt=1200.5')).toEqual([dear]);
  expect(await listed('response_ms_lt=1200')).toEqual([]);
  await api.repositories.rollups.setSlowestResponse(dear, 3_060);
  expect(await listed('slowest_response_ms_gt=2000')).toEqual([dear]);
  expect(await listed('slowest_response_ms_gt=2000&slowest_response_ms_lt=3060')).toEqual([]);
  const { body: shown } = await api.ask('GET', `/v1/calls/${dear}`);
  expect(shown.data).toMatchObject({ metrics: { response_ms: { median: 1_200, p95: 3_000, max: 3_060 } } });
  expect(await listed(`metadata=${encodeURIComponent('{"nth":7,"campaign":"spring"}')}`)).toEqual([dear]);
  expect(await listed(`metadata=${encodeURIComponent('{"nth":"7"}')}`)).toEqual([]);
  expect(await listed(`agent_id=${agentId}&running=true&cost_lt=1`)).toEqual([plain]);
});

it.each([
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['page=0&use_cursor=false', 'page'],
  ['cursor=yesterday', 'cursor'],
  ['agent_id=7', 'agent_id'],
  ['type=fax', 'type'],
  ['from_number=0151', 'from_number'],
  ['start_time_gt=2026-13-01T00:00:00Z', 'start_time_gt'],
  ['created_at_lt=yesterday', 'created_at_lt'],
  ['start_time_lt=noon', 'start_time_lt'],
  ['use_cursor=maybe', 'use_cursor'],
  ['include_transcript=1', 'include_transcript'],
  ['status=ended', 'status'],
  ['direction=in', 'direction'],
  ['end_reason=bored', 'end_reason'],
  ['answer_type=robot', 'answer_type'],
  ['cost_gt=', 'cost_gt'],
  ['cost_gt=-1', 'cost_gt'],
  ['cost_lt=much', 'cost_lt'],
  ['response_ms_gt=0x10', 'response_ms_gt'],
  ['response_ms_lt=1e3', 'response_ms_lt'],
  ['metadata=spring', 'metadata'],
  ['metadata=[1]', 'metadata'],
  ['metadata={}', 'metadata'],
  ['metadata={"a":null}', 'metadata'],
  ['metadata={"a":{"b":1}}', 'metadata'],
  ['metadata={"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}', 'metadata'],
  ['transcript=', 'transcript'],
  [`transcript=${'x'.repeat(201)}`, 'transcript'],
  ['transcript=one two three four five six seven eight nine', 'transcript'],
  [`transcript="${'a '.repeat(17)}"`, 'transcript'],
  ['transcript=hello&use_cursor=false', 'use_cursor'],
  ['status=completed&use_cursor=false', 'use_cursor'],
  ['colour=red', 'colour'],
])('a list with %s is refused with the name of the field', async (query, field) => {
  const { status, body } = await shared().ask('GET', `/v1/calls?${query}`);
  expect([status, body.error.type]).toEqual([422, 'validation_error']);
  expect(body.error.details).toMatchObject([{ field }]);
});

it('metadata is merged by key without nulls, and replaced with override', async () => {
  const api = await testApi();
  const callId = await storedCall(api);
  const patch = async (body: unknown) => (await api.ask('PATCH', `/v1/calls/${callId}`, body)).body.data.metadata;
  expect(await patch({ metadata: { a: 1, deep: { x: 1, y: 2 } } })).toEqual({ a: 1, deep: { x: 1, y: 2 } });
  expect(await patch({ metadata: { a: null, b: [null], deep: { x: 3 } } })).toEqual({
    a: 1,
    b: [null],
    deep: { x: 3 },
  });
  expect(await patch({ metadata: { 10: 'ten', 9: 'nine' } })).toMatchObject({ a: 1, 9: 'nine' });
  expect(await patch({ metadata: { c: null }, override: true })).toEqual({ c: null });
  expect(await patch({ metadata: {} })).toEqual({ c: null });
});

it('the response to a metadata update has the content of the call only for a key that may read', async () => {
  const api = await testApi();
  const callId = await storedCall(api);
  await addSpeech(api, callId, 'My name is Ada.');
  await api.repositories.calls.finish(callId, {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: api.clock.nowMs,
    patch: { recordingPath: recordingPathOf(callId), recordingComplete: true },
  });
  const writeKey = await writeOnlyKey(api);
  const update = { metadata: { ticket: 1 } };
  const written = await api.ask('PATCH', `/v1/calls/${callId}`, update, writeKey);
  expect(written.body.data).toMatchObject({
    id: callId,
    metadata: { ticket: 1 },
    transcript: [],
    transcript_string: '',
    variable_values: [],
    post_call_answers: [],
    recording_url: null,
  });
  expect(written.body.data).not.toHaveProperty('agent_overrides');
  expect(written.text).not.toContain('Ada');
  const read = await api.ask('PATCH', `/v1/calls/${callId}`, update);
  expect(read.body.data).toEqual((await api.ask('GET', `/v1/calls/${callId}`)).body.data);
  expect(read.text).toContain('Ada');
});

it('simultaneous metadata updates all apply', async () => {
  const api = await testApi();
  const callId = await storedCall(api);
  const names = Array.from({ length: 20 }, (_, index) => `name${index}`);
  await Promise.all(names.map((name) => api.ask('PATCH', `/v1/calls/${callId}`, { metadata: { [name]: true } })));
  const { metadata } = (await api.ask('GET', `/v1/calls/${callId}`)).body.data;
  expect(Object.keys(metadata).sort()).toEqual(names.sort());
});

it('metadata that is too large or malformed, or of an unknown call or one of another organization, is refused', async () => {
  const api = await testApi();
  const url = `/v1/calls/${await storedCall(api)}`;
  expect((await api.ask('PATCH', url, { metadata: { a: 'x'.repeat(65_536) } })).body.error.details).toMatchObject([
    { field: 'metadata' },
  ]);
  expect((await api.ask('PATCH', url, {})).status).toBe(422);
  expect((await api.ask('PATCH', url, { metadata: [] })).status).toBe(422);
  expect((await api.ask('PATCH', url, { metadata: {}, status: 'completed' })).status).toBe(422);
  expect((await api.ask('PATCH', url, { metadata: {} }, OTHER_KEY)).status).toBe(404);
  expect((await api.ask('PATCH', url, { metadata: {} }, READ_KEY)).status).toBe(403);
  expect((await api.ask('PATCH', `/v1/calls/${UNKNOWN_ID}`, { metadata: {} })).status).toBe(404);
});

it('deleting a call removes its content, keeps the record, and can be repeated', async () => {
  const api = await testApi();
  const agentId = await createAgent(api, { webhook_url: 'https://receiver.test/' });
  const callId = await storedCall(api, agentId);
  await addSpeech(api, callId, 'my secret');
  await mkdir(join(api.dataDir, 'recordings'));
  await mkdir(join(api.dataDir, 'tapes', callId), { recursive: true });
  await writeFile(join(api.dataDir, 'recordings', `${callId}.wav`), 'RIFFsound');
  await writeFile(join(api.dataDir, 'tapes', callId, 'tape.jsonl'), 'my secret');
  await api.repositories.calls.update(callId, {
    recordingPath: `recordings/${callId}.wav`,
    recordingComplete: true,
  });
  const url = `/v1/calls/${callId}`;
  await api.ask('PATCH', url, { metadata: { campaign: 'spring' } });
  expect((await api.ask('DELETE', url)).status).toBe(409);
  await endCall(api, callId);
  expect((await api.ask('DELETE', url)).body).toMatchObject({ data: null, status: 200 });
  expect((await api.ask('GET', url)).body.data).toMatchObject({
    status: 'completed',
    metadata: { campaign: 'spring' },
    transcript: [],
    variable_values: [],
    recording_url: null,
  });
  expect((await api.ask('GET', `${url}/recording`)).status).toBe(404);
  await expect(access(join(api.dataDir, 'recordings', `${callId}.wav`))).rejects.toThrow();
  await expect(access(join(api.dataDir, 'tapes', callId))).rejects.toThrow();
  const events = await api.database.query.selectFrom('call_events').selectAll().execute();
  expect(events.length).toBeGreaterThan(0);
  expect(events.every(({ data_json, status }) => data_json === '{}' && status !== 'pending')).toBe(true);
  expect((await api.ask('DELETE', url)).status).toBe(200);
});

it('deleting needs a key of the organization with the scope write', async () => {
  const api = await testApi();
  const callId = await storedCall(api);
  await endCall(api, callId);
  expect((await api.ask('DELETE', `/v1/calls/${callId}`, undefined, OTHER_KEY)).status).toBe(404);
  expect((await api.ask('DELETE', `/v1/calls/${callId}`, undefined, READ_KEY)).status).toBe(403);
  expect((await api.ask('DELETE', `/v1/calls/${UNKNOWN_ID}`)).status).toBe(404);
});
