import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { AUDITED_OPERATIONS } from '../../../../src/api/audit/audited-operations.ts';
import { REPETITION_MS } from '../../../../src/api/audit/repeated-accesses.ts';
import { recordingPathOf } from '../../../../src/calls/recording/recording-path.ts';
import { newCall, START_MS } from '../../storage/temporary-database.ts';
import { ADMIN_KEY, createAgent, OTHER_KEY, READ_KEY, type TestApi, testApi } from '../test-api.ts';

/** Operations that change something and are not recorded: calls that a key starts, what is said in them, and what changes nothing. */
const UNRECORDED = [
  'stageCall',
  'startPhoneCall',
  'startWebCall',
  'sayOnCall',
  'addContext',
  'searchKnowledgeBase',
  'runDoctor',
  'runTests',
];

const record = z.object({
  action: z.string(),
  target_id: z.string().nullable(),
  key_id: z.string().nullable(),
  address: z.string(),
  status: z.number(),
  at: z.string(),
});
const answer = z.object({ data: z.array(record), next_cursor: z.string().nullable() });

/** An API whose requests are some time apart: records of one moment have no order. */
async function auditedApi(): Promise<TestApi> {
  const api = await testApi();
  const ask: TestApi['ask'] = (...request) => {
    api.clock.advance(1);
    return api.ask(...request);
  };
  return { ...api, ask };
}

/** The records that match the query, newest first. */
async function logged(api: TestApi, query = '', key = ADMIN_KEY) {
  await api.audit.stored();
  const { status, text } = await api.ask('GET', `/v1/audit-log${query}`, undefined, key);
  expect(status).toBe(200);
  return answer.parse(JSON.parse(text));
}

async function endedCall(api: TestApi) {
  const call = newCall(await createAgent(api));
  await api.repositories.calls.createCall(call);
  const recordingPath = recordingPathOf(call.id);
  await api.repositories.calls.finish(call.id, {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: START_MS,
    patch: { recordingPath, recordingComplete: true },
  });
  await mkdir(join(api.dataDir, 'recordings'), { recursive: true });
  await writeFile(join(api.dataDir, recordingPath), 'audio');
  return call;
}

async function storeAnswers(api: TestApi, callId: string): Promise<void> {
  const question = { id: randomUUID(), name: 'Who?', description: '', is_optional: false };
  const answer = {
    id: randomUUID(),
    question: { ...question, question_type: 'text', question_origin: 'user' },
    has_answer: true,
    answer_text: 'Anna',
    answer_number: null,
    answer_boolean: null,
    selected_options: [],
  };
  await api.database.query
    .insertInto('post_call_answers')
    .values({ call_id: callId, answers_json: JSON.stringify([answer]) })
    .execute();
}

describe('the audit log', () => {
  it('has each change with its key, its target, its address and its result, before the response', async () => {
    const api = await auditedApi();
    const id = await createAgent(api, { name: 'Secret plans of +4915112345678' });
    const before = await api.repositories.auditLog.list(
      (await keyOf(api)).organizationId,
      {},
      { before: null, limit: 9 },
    );
    expect(before.map(({ action, targetId }) => [action, targetId])).toEqual([['createAgent', id]]);
    await api.ask('PATCH', `/v1/agents/${id}`, { name: 'Front' });
    await api.ask('DELETE', `/v1/agents/${id}`, undefined, READ_KEY);
    await api.ask('DELETE', '/v1/phone-numbers/+4915112345678');
    const { data } = await logged(api);
    const { id: keyId } = await keyOf(api);
    expect(data.map(({ action, status, target_id }) => [action, target_id, status])).toEqual([
      ['deletePhoneNumber', null, 404],
      ['deleteAgent', id, 403],
      ['updateAgent', id, 200],
      ['createAgent', id, 201],
    ]);
    expect(data.map(({ key_id }) => key_id === keyId)).toEqual([true, false, true, true]);
    expect(data[0]).toMatchObject({ address: '127.0.0.1', at: new Date(START_MS + 4).toISOString() });
    const stored = JSON.stringify(await api.database.query.selectFrom('audit_log').selectAll().execute());
    expect(stored).not.toMatch(/49151|Secret|organization"?:|admin-key|read-key/);
  });

  it('has each access to a recording, a transcript, a tape and a capture, also by a link and if it is refused', async () => {
    const api = await auditedApi();
    const call = await endedCall(api);
    const { data: read } = (await api.ask('GET', `/v1/calls/${call.id}`)).body;
    const link = new URL(z.string().parse(read.recording_url));
    api.clock.advance(1);
    expect((await api.app.inject({ method: 'GET', url: link.pathname + link.search })).statusCode).toBe(200);
    await api.ask('GET', `/v1/calls/${call.id}/recording`, undefined, READ_KEY);
    await api.ask('GET', `/v1/calls/${call.id}/recording`, undefined, OTHER_KEY);
    await api.ask('GET', `/v1/calls/${call.id}/tape`);
    await api.ask('GET', `/v1/calls/${call.id}/timeline`);
    await api.ask('PATCH', `/v1/calls/${call.id}`, { metadata: {} });
    await api.ask('GET', `/v1/calls/${call.id}/pcap`, undefined, READ_KEY);
    // An access is recorded after its response.
    const data = await vi.waitFor(async () => {
      const found = (await logged(api, `?target_id=${call.id}`)).data.toReversed();
      expect(found.map(({ action, key_id, status }) => [action, status, key_id === null])).toEqual([
        ['getCall', 200, false],
        ['getRecording', 200, true],
        ['getRecording', 200, false],
        ['getTape', 404, false],
        ['getTimeline', 200, false],
        ['updateMetadata', 200, false],
        ['getPcap', 403, false],
      ]);
      return found;
    });
    expect(data.every(({ address }) => address === '127.0.0.1')).toBe(true);
    await api.ask('GET', '/v1/calls');
    await api.ask('GET', '/v1/calls?include_transcript=true');
    await vi.waitFor(async () => expect((await logged(api, '?action=listCalls')).data).toHaveLength(1));
    await storeAnswers(api, call.id);
    await api.ask('GET', '/v1/calls');
    await vi.waitFor(async () => expect((await logged(api, '?action=listCalls')).data).toHaveLength(2));
    // Another organization sees its own request only.
    expect((await logged(api, '', OTHER_KEY)).data).toMatchObject([{ action: 'getRecording', status: 404 }]);
  });

  it('delays no response to a request without a key, which it does not record', async () => {
    const audit = {
      add: () => {
        throw new Error('recorded');
      },
      stored: () => new Promise<void>(() => {}),
    };
    const api = await testApi({ audit });
    expect((await api.app.inject({ method: 'POST', url: '/v1/agents', payload: {} })).statusCode).toBe(401);
  });

  it('has each request that pauses, resumes, transfers or ends a call, also if it is refused', async () => {
    const api = await auditedApi();
    const call = await endedCall(api);
    for (const path of ['recording/pause', 'recording/resume', 'terminate'])
      await api.ask('POST', `/v1/calls/${call.id}/${path}`);
    await api.ask('POST', `/v1/calls/${call.id}/transfer`, { destination: '+4930123456' }, READ_KEY);
    const { data } = await logged(api, `?target_id=${call.id}`);
    expect(data.toReversed().map(({ action, status }) => [action, status])).toEqual([
      ['pauseRecording', 409],
      ['resumeRecording', 409],
      ['terminateCall', 200],
      ['transferCall', 403],
    ]);
  });

  it('has one record in ten minutes of what an open page reads again and again: a call, its timeline, messages and deliveries', async () => {
    const api = await auditedApi();
    const [call, other] = [await endedCall(api), await endedCall(api)];
    const read = async (path: string, key = ADMIN_KEY) => {
      await api.ask('GET', `/v1/calls/${path}`, undefined, key);
    };
    const readDeliveries = (query: string) => api.ask('GET', `/v1/webhook-deliveries${query}`);
    for (let count = 0; count < 10; count++) {
      await read(call.id);
      await read(`${call.id}/timeline`);
      await read(`${call.id}/sip-ladder`);
      await readDeliveries(`?call_id=${call.id}`);
      await readDeliveries('');
    }
    await read(call.id, READ_KEY);
    await read(call.id, OTHER_KEY);
    await read(other.id);
    api.clock.advance(REPETITION_MS);
    await read(call.id);
    const records = async (id: string) =>
      (await logged(api, `?target_id=${id}`)).data.map(({ action, status }) => `${action} ${status}`).toReversed();
    await vi.waitFor(async () => {
      expect(await records(call.id)).toEqual([
        'getCall 200',
        'getTimeline 200',
        'getSipLadder 200',
        'listDeliveries 200',
        'getCall 200',
        'getCall 200',
      ]);
      expect(await records(other.id)).toEqual(['getCall 200']);
      const lists = (await logged(api, '?action=listDeliveries')).data.map(({ target_id }) => target_id);
      expect(lists).toEqual([null, call.id]);
    });
    expect((await logged(api, '', OTHER_KEY)).data).toMatchObject([{ action: 'getCall', status: 404 }]);
  });

  it('has a record of each list of deliveries with another query', async () => {
    const api = await auditedApi();
    for (const query of ['', '?use_cursor=true&limit=1', '?use_cursor=true&limit=2', '?use_cursor=true&limit=2'])
      await api.ask('GET', `/v1/webhook-deliveries${query}`);
    await vi.waitFor(async () =>
      expect((await logged(api, '?action=listDeliveries')).data.map(({ status }) => status)).toEqual([200, 200, 200]),
    );
  });

  it('is listed by pages and filters, and only to the scope admin', async () => {
    const api = await auditedApi();
    await createAgent(api);
    await createAgent(api, { name: 'Other' });
    const first = await logged(api, '?limit=1&action=createAgent');
    expect(first.data).toHaveLength(1);
    const second = await logged(api, `?limit=1&action=createAgent&cursor=${first.next_cursor}`);
    expect(second.data).toHaveLength(1);
    expect(second.data[0]?.target_id).not.toBe(first.data[0]?.target_id);
    expect((await logged(api, '?action=listAuditLog')).data.length).toBeGreaterThan(0);
    expect((await logged(api, `?to=${new Date(START_MS).toISOString()}`)).data).toEqual([]);
    expect((await api.ask('GET', '/v1/audit-log', undefined, READ_KEY)).status).toBe(403);
    expect((await api.ask('GET', '/v1/audit-log?cursor=x')).status).toBe(422);
  });

  it('knows each operation of the API that changes something', async () => {
    const api = await auditedApi();
    const document = z
      .object({ paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string().optional() }))) })
      .parse(JSON.parse((await api.app.inject('/openapi.json')).body));
    const operations = Object.values(document.paths).flatMap((path) => Object.entries(path));
    const ids = operations.map(([, { operationId }]) => operationId);
    const changing = operations.filter(([method]) => method !== 'get').map(([, { operationId }]) => operationId);
    for (const id of changing) expect([...AUDITED_OPERATIONS, ...UNRECORDED]).toContain(id);
    for (const id of AUDITED_OPERATIONS) expect(ids).toContain(id);
  });
});

async function keyOf(api: TestApi) {
  const key = await api.repositories.organizations.findKey(ADMIN_KEY);
  if (key === null) throw new Error('the admin key is missing');
  return key;
}
