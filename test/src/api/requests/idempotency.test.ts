import { expect, it, vi } from 'vitest';
import { CallRefusedError } from '../../../../src/calls/api-requests/call-service.ts';
import { DatabaseError } from '../../../../src/storage/link/database-error.ts';
import { eventually } from '../../../service/rig/eventually.ts';
import { ADMIN_KEY, createAgent, OTHER_KEY, type TestApi, testApi } from '../test-api.ts';

const KEY = 'order-4711';

function post(api: TestApi, url: string, payload: object, key: string = KEY, apiKey: string = ADMIN_KEY) {
  const headers = { 'x-api-key': apiKey, 'idempotency-key': key };
  return api.app.inject({ method: 'POST', url, headers, payload });
}

async function stageRequest(api: TestApi) {
  return { from_number: '+4915112345678', to_number: '+493012345678', agent_id: await createAgent(api) };
}

it('fifty simultaneous requests with one key create one call and get the same response', async () => {
  const api = await testApi();
  const request = await stageRequest(api);
  const answers = await Promise.all(Array.from({ length: 50 }, () => post(api, '/v1/calls/stage', request)));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  expect(api.callService.staged).toHaveLength(1);
});

it('a key with a different request is 409, and a key expires after a day', async () => {
  const api = await testApi();
  const request = await stageRequest(api);
  const first = await post(api, '/v1/calls/stage', request);
  const other = await post(api, '/v1/calls/stage', { ...request, to_number: '+493099999999' });
  expect([other.statusCode, other.json().error.type]).toEqual([409, 'api_error']);
  expect((await post(api, '/v1/calls/stage?sync=true', request)).statusCode).toBe(409);
  api.clock.advance(24 * 3_600_000 - 1);
  expect((await post(api, '/v1/calls/stage', request)).body).toBe(first.body);
  api.clock.advance(1);
  expect((await post(api, '/v1/calls/stage', request)).body).not.toBe(first.body);
  expect(api.callService.staged).toHaveLength(2);
});

it('idempotency keys are separate per organization', async () => {
  const api = await testApi();
  const trunk = { name: 't', termination_uri: 'sip.example.com' };
  const own = await post(api, '/v1/sip-trunks', trunk);
  const foreign = await post(api, '/v1/sip-trunks', trunk, KEY, OTHER_KEY);
  expect(foreign.json().data.id).not.toBe(own.json().data.id);
});

it('a refused request releases the key', async () => {
  const api = await testApi();
  const request = await stageRequest(api);
  api.callService.refusal = new CallRefusedError('overloaded', 'full');
  expect((await post(api, '/v1/calls/stage', request)).statusCode).toBe(503);
  api.callService.refusal = null;
  expect((await post(api, '/v1/calls/stage', request)).statusCode).toBe(201);
});

it('a retry after a staging timeout stages no second call', async () => {
  const api = await testApi();
  const request = await stageRequest(api);
  api.callService.ready = new Promise(() => {});
  const late = post(api, '/v1/calls/stage?sync=true', request);
  await eventually(() => expect(api.clock.waiting).toBe(1));
  api.clock.advance(10_000);
  const first = await late;
  expect(first.statusCode).toBe(408);
  const again = await post(api, '/v1/calls/stage?sync=true', request);
  expect([again.statusCode, again.body]).toEqual([408, first.body]);
  expect(api.callService.staged).toHaveLength(1);
});

it('a stored response with a secret is encrypted at rest', async () => {
  const api = await testApi();
  const url = `/v1/agents/${await createAgent(api)}/webhook-secret`;
  const first = await post(api, url, {});
  expect((await post(api, url, {})).body).toBe(first.body);
  const rows = await api.database.query.selectFrom('idempotency_keys').selectAll().execute();
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(first.json().data.secret);
});

it('an empty or too long key is 422; GET requests ignore the key', async () => {
  const api = await testApi();
  const trunk = { name: 't', termination_uri: 'sip.example.com' };
  const long = await post(api, '/v1/sip-trunks', trunk, 'k'.repeat(256));
  expect([long.statusCode, long.json().error.details[0].field]).toEqual([422, 'Idempotency-Key']);
  expect((await post(api, '/v1/sip-trunks', trunk, '')).statusCode).toBe(422);
  expect((await api.ask('GET', '/v1/sip-trunks')).body.data).toEqual([]);
});

const LOST = new DatabaseError('unavailable', 'the connection was lost after COMMIT');

it('a key is released if the write of its claim fails', async () => {
  const api = await testApi();
  const request = await stageRequest(api);
  const { idempotency } = api.repositories;
  const claim = idempotency.claim;
  vi.spyOn(idempotency, 'claim').mockImplementationOnce(async (...parameters) => {
    await claim(...parameters);
    throw LOST;
  });
  const answers = await Promise.all([post(api, '/v1/calls/stage', request), post(api, '/v1/calls/stage', request)]);
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 503]);
  expect((await post(api, '/v1/calls/stage', request)).statusCode).toBe(201);
  expect(api.callService.staged).toHaveLength(1);
});

it('a response whose write fails is stored later and returned to retries', async () => {
  const api = await testApi();
  const request = await stageRequest(api);
  vi.spyOn(api.repositories.idempotency, 'keep').mockRejectedValueOnce(LOST);
  const first = await post(api, '/v1/calls/stage', request);
  expect(first.statusCode).toBe(201);
  expect((await post(api, '/v1/calls/stage', request)).body).toBe(first.body);
  expect(api.callService.staged).toHaveLength(1);
});

it.each(['/v1/calls/stage', '/v1/calls/phone'])(
  'a retried %s creates no second call if the first process died before it stored its response',
  async (url) => {
    const api = await testApi();
    const trunk = await api.ask('POST', '/v1/sip-trunks', { name: 't', termination_uri: 'sip.example.com' });
    const number = { number: '+4915112345678', trunk_id: trunk.body.data.id };
    expect((await api.ask('POST', '/v1/phone-numbers', number)).status).toBe(201);
    const request = await stageRequest(api);
    const died = Promise.withResolvers<void>();
    const keep = vi.spyOn(api.repositories.idempotency, 'keep').mockReturnValueOnce(died.promise);
    const first = post(api, url, request);
    await eventually(() => expect(keep).toHaveBeenCalled());

    const { repositories, callService, secrets } = api;
    const next = await testApi({ repositories, callService, secrets });
    const again = await post(next, url, request);
    const [call, ...more] = (await api.ask('GET', '/v1/calls')).body.data;
    expect(more).toEqual([]);
    expect([again.statusCode, again.json().data]).toEqual([201, { call_id: call.id }]);
    expect((await post(next, url, request)).body).toBe(again.body);
    expect((await post(next, url, { ...request, to_number: '+493099999999' })).statusCode).toBe(409);
    died.resolve();
    await first;
  },
);
