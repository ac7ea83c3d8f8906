import { expect, it } from 'vitest';
import { CallRefusedError, type StagingOutcome } from '../../../../src/calls/api-requests/call-service.ts';
import { EXAMPLE_TURN } from '../../../engine/metrics/example-turn.ts';
import { eventually } from '../../../service/rig/eventually.ts';
import { EXAMPLE_TURN_ANSWER } from '../calls/example-turn-answer.ts';
import { createAgent, OTHER_KEY, sharedApi, type TestApi, testApi } from '../test-api.ts';

const shared = sharedApi();

const CALLER = '+4915112345678';
const DESK = '+493012345678';
const UNKNOWN_ID = '00000000-0000-4000-8000-00000000000f';

async function stageCall(api: TestApi, agent: Record<string, unknown> = {}): Promise<string> {
  const agentId = await createAgent(api, agent);
  const { body } = await api.ask('POST', '/v1/calls/stage', {
    from_number: CALLER,
    to_number: DESK,
    agent_id: agentId,
  });
  return body.data.call_id;
}

it('staging passes the request to the call service and returns the id at once', async () => {
  const api = await testApi();
  api.callService.ready = new Promise(() => {});
  const agentId = await createAgent(api);
  const { status, body } = await api.ask('POST', '/v1/calls/stage', {
    from_number: CALLER,
    to_number: DESK,
    agent_id: agentId,
    dynamic_variables_values: { name: 'Ada', age: 36, tags: ['a'], nested: { deep: null } },
  });
  expect(status).toBe(201);
  expect(body.data).toEqual({ call_id: expect.any(String) });
  expect(api.callService.staged).toEqual([
    {
      organizationId: '00000000-0000-4000-8000-000000000001',
      agentId,
      agentVersion: 1,
      fromNumber: CALLER,
      toNumber: DESK,
      dynamicVariables: { name: 'Ada', age: 36, tags: ['a'], nested: { deep: null } },
      agentOverrides: null,
      idempotent: null,
      traceparent: null,
    },
  ]);
});

it.each([
  ['integer', 'four', '4'],
  ['number', 'x', 1.5],
  ['boolean', 'perhaps', 'yes'],
  ['date', '2026-02-31', '2026-03-01'],
  ['datetime', 'foo 5', '2026-03-01T09:00:00'],
  ['object', 'x', { deep: 1 }],
  ['array', {}, ['a']],
  ['string', undefined, ''],
  ['integer', undefined, null],
])('a dynamic value of a variable of type %s is checked: %j is 422, %j is accepted', async (type, wrong, right) => {
  const api = await testApi();
  const state = { name: 'greeting', variables: [{ name: 'value', type }] };
  const agentId = await createAgent(api, { states: [state] });
  const request = { from_number: CALLER, to_number: DESK, agent_id: agentId };
  for (const [path, body] of [
    ['/v1/calls/stage', request],
    ['/v1/calls/web', { agent_id: agentId }],
  ] as const) {
    const start = (value: unknown) =>
      api.ask('POST', path, { ...body, dynamic_variables_values: { value, other: 'x' } });
    if (wrong !== undefined) {
      expect((await start(wrong)).body.error.details).toEqual([
        { field: 'dynamic_variables_values.value', message: `expected ${type}, the type that the agent declares` },
      ]);
    }
    expect((await start(right)).status).toBe(201);
  }
});

it('a call has the time of its creation', async () => {
  const api = await testApi();
  const { body } = await api.ask('GET', `/v1/calls/${await stageCall(api)}`);
  expect(body.data).toMatchObject({ created_at: '2026-01-01T00:00:00.000Z', start_time: null });
});

it('an id may be upper or lower case in a path, a body and a query', async () => {
  const api = await testApi();
  const agentId = await createAgent(api);
  const upperCaseId = agentId.toUpperCase();
  expect((await api.ask('GET', `/v1/agents/${upperCaseId}`)).body.data.id).toBe(agentId);
  const request = { from_number: CALLER, to_number: DESK, agent_id: upperCaseId };
  const { body } = await api.ask('POST', '/v1/calls/stage', request);
  expect(api.callService.staged).toEqual([expect.objectContaining({ agentId })]);
  expect((await api.ask('GET', `/v1/calls/${body.data.call_id.toUpperCase()}`)).status).toBe(200);
  const listed = await api.ask('GET', `/v1/calls?agent_id=${upperCaseId}`);
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([body.data.call_id]);
});

it('sync staging responds when the call is staged, with 408 after ten seconds, and with 502 if the preparation fails', async () => {
  const api = await testApi();
  const request = { from_number: CALLER, to_number: DESK, agent_id: await createAgent(api) };
  let settle = (_outcome: StagingOutcome): void => {};
  api.callService.ready = new Promise((resolve) => {
    settle = resolve;
  });
  const waiting = api.ask('POST', '/v1/calls/stage?sync=true', request);
  await eventually(() => expect(api.clock.waiting).toBe(1));
  settle({ type: 'staged' });
  expect((await waiting).status).toBe(201);
  expect(api.clock.waiting).toBe(0);

  api.callService.ready = new Promise(() => {});
  const late = api.ask('POST', '/v1/calls/stage?sync=true', request);
  await eventually(() => expect(api.clock.waiting).toBe(1));
  api.clock.advance(9_999);
  api.clock.advance(1);
  const { status, body } = await late;
  expect(status).toBe(408);
  expect(body).toMatchObject({
    data: { call_id: expect.any(String) },
    status: 408,
    error: { type: 'timeout_error', status: 408 },
  });

  api.callService.ready = Promise.resolve({ type: 'failed', message: 'the voice provider refused the key' });
  const failed = await api.ask('POST', '/v1/calls/stage?sync=true', request);
  expect(failed.status).toBe(502);
  expect(failed.body.error).toMatchObject({ type: 'api_error', message: 'the voice provider refused the key' });
});

it.each([
  ['no from_number', { from_number: undefined }, 'from_number'],
  ['a number without +', { from_number: '4915112345678' }, 'from_number'],
  ['a number that is too short', { to_number: '+123456' }, 'to_number'],
  ['a number with a line break', { to_number: '+493012345678\n' }, 'to_number'],
  ['an agent id that is not a UUID', { agent_id: 'front-desk' }, 'agent_id'],
  ['an agent that does not exist', { agent_id: UNKNOWN_ID }, 'agent_id'],
  ['variables that are a list', { dynamic_variables_values: [1] }, 'dynamic_variables_values'],
  ['an unknown field', { agent: 'x' }, 'agent'],
])('staging with %s is 422 and names the field', async (_fault, fields, field) => {
  const api = shared();
  const request = { from_number: CALLER, to_number: DESK, agent_id: await createAgent(api), ...fields };
  const { status, body } = await api.ask('POST', '/v1/calls/stage', request);
  expect(status).toBe(422);
  expect(body.error.details.map((detail: { field: string }) => detail.field)).toEqual([field]);
  expect(api.callService.staged).toEqual([]);
});

it('a `sync` other than true or false is 422', async () => {
  const api = await testApi();
  const request = { from_number: CALLER, to_number: DESK, agent_id: await createAgent(api) };
  const { status, body } = await api.ask('POST', '/v1/calls/stage?sync=maybe', request);
  expect([status, body.error.details[0].field]).toEqual([422, 'sync']);
});

it('null dynamic variables count as none', async () => {
  const api = await testApi();
  const request = {
    from_number: CALLER,
    to_number: DESK,
    agent_id: await createAgent(api),
    dynamic_variables_values: null,
  };
  expect((await api.ask('POST', '/v1/calls/stage', request)).status).toBe(201);
  expect(api.callService.staged[0]?.dynamicVariables).toEqual({});
});

it("another organization's agent cannot be staged", async () => {
  const api = await testApi();
  const request = { from_number: CALLER, to_number: DESK, agent_id: await createAgent(api) };
  const { status, body } = await api.ask('POST', '/v1/calls/stage', request, OTHER_KEY);
  expect([status, body.error.details[0].field]).toEqual([422, 'agent_id']);
});

it.each([
  ['draining', 503, 'generic_error', null],
  ['overloaded', 503, 'generic_error', null],
  ['organization_limit', 429, 'gateway_rate_limit_error', null],
  ['no_trunk', 422, 'validation_error', 'from_number'],
  ['destination_refused', 422, 'validation_error', 'to_number'],
  ['to_header_refused', 422, 'validation_error', 'custom_headers.To'],
] as const)('a call request refused as %s is %i', async (refusal, status, type, field) => {
  const api = await testApi();
  api.callService.refusal = new CallRefusedError(refusal, 'not now');
  const request = { from_number: CALLER, to_number: DESK, agent_id: await createAgent(api) };
  const answer = await api.ask('POST', '/v1/calls/stage', request);
  expect(answer.status).toBe(status);
  expect(answer.body.error.type).toBe(type);
  expect(answer.body.error.details?.[0]?.field ?? null).toBe(field);
  if (status === 503) expect(answer.headers['retry-after']).toBe('5');
});

it('an error of the call service is 500 without details', async () => {
  const api = await testApi();
  api.callService.refusal = new Error('password=hunter2');
  const request = { from_number: CALLER, to_number: DESK, agent_id: await createAgent(api) };
  const { status, body } = await api.ask('POST', '/v1/calls/stage', request);
  expect([status, body.error.type]).toEqual([500, 'generic_error']);
  expect(JSON.stringify(body)).not.toContain('hunter2');
});

it('an outbound call uses a number of the organization and its trunk', async () => {
  const api = await testApi();
  const agentId = await createAgent(api);
  const trunk = await api.ask('POST', '/v1/sip-trunks', { name: 't', termination_uri: 'sip.example.com' });
  await api.ask('POST', '/v1/phone-numbers', { number: DESK, trunk_id: trunk.body.data.id });
  const request = {
    from_number: DESK,
    to_number: CALLER,
    agent_id: agentId,
    custom_headers: { 'X-Campaign': 'spring' },
  };
  const { status, body, headers } = await api.ask('POST', '/v1/calls/phone', request);
  expect([status, Object.keys(body.data)]).toEqual([201, ['call_id']]);
  expect(headers).toHaveProperty('x-ratelimit-limit-minute', '600');
  expect(api.callService.started).toMatchObject([
    {
      agentId,
      fromNumber: DESK,
      toNumber: CALLER,
      trunkId: trunk.body.data.id,
      customHeaders: { 'X-Campaign': 'spring' },
    },
  ]);
  for (const [from, key] of [
    [CALLER, undefined],
    [DESK, OTHER_KEY],
  ] as const) {
    const refused = await api.ask('POST', '/v1/calls/phone', { ...request, from_number: from }, key);
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'from_number']);
  }
  expect(api.callService.started).toHaveLength(1);
});

it.each([
  ['CR LF in a value', { 'X-A': 'x\r\nVia: evil' }, 'custom_headers.X-A'],
  ['NUL in a value', { 'X-A': 'x\u0000' }, 'custom_headers.X-A'],
  ['CR LF in a name', { 'X-A\r\nVia': 'x' }, 'custom_headers.X-A\r\nVia'],
  ['Via', { Via: 'SIP/2.0/UDP x' }, 'custom_headers.Via'],
  ['Contact', { Contact: '<sip:x>' }, 'custom_headers.Contact'],
  ['a compact name', { m: '<sip:x>' }, 'custom_headers.m'],
  ['an empty name', { '': 'x' }, 'custom_headers.'],
  ['a value that is not a string', { 'X-A': 1 }, 'custom_headers.X-A'],
  ['33 headers', Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`X-${i}`, 'x'])), 'custom_headers'],
  ['over 4 KiB', { 'X-A': 'x'.repeat(4_097) }, 'custom_headers'],
])('custom_headers with %s are 422', async (_fault, customHeaders, field) => {
  const api = shared();
  await api.ask('POST', '/v1/phone-numbers', { number: DESK });
  const request = {
    from_number: DESK,
    to_number: CALLER,
    agent_id: await createAgent(api),
    custom_headers: customHeaders,
  };
  const { status, body } = await api.ask('POST', '/v1/calls/phone', request);
  expect(status).toBe(422);
  expect(body.error.details.map((detail: { field: string }) => detail.field)).toContain(field);
  expect(api.callService.started).toEqual([]);
});

/** The response for the call of the next test, without its id. */
const EVERY_FIELD = {
  status: 'completed',
  from_number: CALLER,
  to_number: DESK,
  direction: 'inbound',
  organization_id: '00000000-0000-4000-8000-000000000001',
  type: 'phone_call',
  agent_id: expect.any(String),
  agent_version: 1,
  agent_overrides: null,
  metadata: {},
  created_at: '2026-01-01T00:00:00.000Z',
  start_time: '2026-01-01T00:00:00.000Z',
  end_time: '2026-01-01T00:00:12.000Z',
  duration_seconds: 12,
  redirect_duration_seconds: 0,
  redirect_target: null,
  cost: 0,
  transcript_string: 'Agent: Hello\nUser: Hi there',
  transcript: [
    {
      role: 'agent',
      sequence: 1,
      start_time: '2026-01-01T00:00:00.000Z',
      end_time: '2026-01-01T00:00:00.900Z',
      content: 'Hello',
      interrupted: false,
    },
    { role: 'dtmf', sequence: 2, start_time: '2026-01-01T00:00:00.950Z', end_time: null, content: '1' },
    {
      role: 'user',
      sequence: 3,
      start_time: '2026-01-01T00:00:01.000Z',
      end_time: '2026-01-01T00:00:02.000Z',
      content: 'Hi there',
    },
  ],
  variable_values: [{ name: 'name', type: 'string', value: 'Ada', timestamp: '2026-01-01T00:00:02.000Z' }],
  post_call_answers: [],
  answer_type: 'human',
  recording_url: null,
  recording_unavailable_reason: 'not_recorded',
  recording_consent: 'not_asked',
  recording_pauses: [],
  secure_recording_url: false,
  end_reason: 'caller_hangup',
  metrics: {
    interruptions: 0,
    eager_hits: 2,
    eager_misses: 1,
    per_turn: [EXAMPLE_TURN_ANSWER],
  },
  sip_call_id: 'abc@x',
};

it('a call contains every documented field', async () => {
  const api = await testApi();
  const callId = await stageCall(api);
  const { calls, journal } = api.repositories;
  const atMs = api.clock.nowMs;
  await calls.setStatus(callId, {
    from: ['initiated'],
    to: 'in_progress',
    atMs,
    patch: { sipCallId: 'abc@x', answerType: 'human' },
  });
  await journal.appendJournal(callId, {
    startedWallMs: atMs,
    entries: [
      {
        type: 'transcript',
        entry: { role: 'agent', sequence: 1, startUs: 0, endUs: 900_000, content: 'Hello', interrupted: false },
      },
      { type: 'transcript', entry: { role: 'dtmf', sequence: 2, startUs: 950_000, endUs: null, content: '1' } },
      {
        type: 'transcript',
        entry: { role: 'user', sequence: 3, startUs: 1_000_000, endUs: 2_000_000, content: 'Hi there' },
      },
      { type: 'variable', name: 'name', variableType: 'string', value: 'Ada', atUs: 2_000_000 },
      {
        type: 'turn',
        record: EXAMPLE_TURN,
        isClosed: true,
      },
    ],
  });
  await calls.finish(callId, {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: atMs + 12_000,
    patch: { metrics: { interruptions: 0, eager_hits: 2, eager_misses: 1 } },
  });
  const { status, body } = await api.ask('GET', `/v1/calls/${callId}`);
  expect(status).toBe(200);
  expect(body.data).toEqual({ id: callId, ...EVERY_FIELD });
});

it('terminate ends a call in progress and leaves an ended one unchanged, both with 200', async () => {
  const api = await testApi();
  const callId = await stageCall(api);
  const first = await api.ask('POST', `/v1/calls/${callId}/terminate`);
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ data: null, error: null, status: 200 });
  await api.repositories.calls.finish(callId, { status: 'canceled', endReason: 'terminated', atMs: api.clock.nowMs });
  expect((await api.ask('POST', `/v1/calls/${callId}/terminate`)).status).toBe(200);
  expect(api.callService.terminated).toEqual([callId]);
  expect((await api.ask('POST', `/v1/calls/${UNKNOWN_ID}/terminate`)).status).toBe(404);
});

it('terminating a call whose node does not end it is 503', async () => {
  const api = await testApi();
  const callId = await stageCall(api);
  api.callService.ends = false;
  const { body, headers, status } = await api.ask('POST', `/v1/calls/${callId}/terminate`);
  expect([status, body.error.message]).toEqual([503, 'The node of the call does not respond: retry']);
  expect(headers['retry-after']).toBe('5');
});

it('terminating a web call is 400', async () => {
  const api = await testApi();
  const callId = await stageCall(api);
  await api.database.query.updateTable('calls').set({ type: 'web_call' }).where('id', '=', callId).execute();
  const { status, body } = await api.ask('POST', `/v1/calls/${callId}/terminate`);
  expect([status, body.error.type]).toEqual([400, 'api_error']);
  expect(api.callService.terminated).toEqual([]);
});
