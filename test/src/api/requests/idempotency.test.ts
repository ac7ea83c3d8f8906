import { expect, test, vi } from 'vitest';
import { CallRefusedError } from '../../../../src/calls/requests/call-service.ts';
import { DatabaseError } from '../../../../src/storage/link/database-error.ts';
import { ADMIN_KEY, createAgent, OTHER_KEY, type TestApi, testApi } from '../test-api.ts';

const KEY = 'order-4711';

function post(api: TestApi, url: string, payload: object, key: string = KEY, apiKey: string = ADMIN_KEY) {
  const headers = { 'x-api-key': apiKey, 'idempotency-key': key };
  return api.app.inject({ method: 'POST', url, headers, payload });
}

async function stageOrder(api: TestApi) {
  return { from_number: '+4915112345678', to_number: '+493012345678', agent_id: await createAgent(api) };
}

test('fifty requests at once with one key make one call, and all get its answer', async () => {
  const api = await testApi();
  const order = await stageOrder(api);
  const answers = await Promise.all(Array.from({ length: 50 }, () => post(api, '/v1/calls/stage', order)));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  expect(api.callService.staged).toHaveLength(1);
});

test('the same key with another request is 409, and with the same one after a day it is new', async () => {
  const api = await testApi();
  const order = await stageOrder(api);
  const first = await post(api, '/v1/calls/stage', order);
  const other = await post(api, '/v1/calls/stage', { ...order, to_number: '+493099999999' });
  expect([other.statusCode, other.json().error.type]).toEqual([409, 'api_error']);
  expect((await post(api, '/v1/calls/stage?sync=true', order)).statusCode).toBe(409);
  api.clock.advance(24 * 3_600_000 - 1);
  expect((await post(api, '/v1/calls/stage', order)).body).toBe(first.body);
  api.clock.advance(1);
  expect((await post(api, '/v1/calls/stage', order)).body).not.toBe(first.body);
  expect(api.callService.staged).toHaveLength(2);
});

test("keys are an organization's own", async () => {
  const api = await testApi();
  const trunk = { name: 't', termination_uri: 'sip.example.com' };
  const mine = await post(api, '/v1/sip-trunks', trunk);
  const theirs = await post(api, '/v1/sip-trunks', trunk, KEY, OTHER_KEY);
  expect(theirs.json().data.id).not.toBe(mine.json().data.id);
});

test('a request that was refused leaves the key free', async () => {
  const api = await testApi();
  const order = await stageOrder(api);
  api.callService.refusal = new CallRefusedError('overloaded', 'full');
  expect((await post(api, '/v1/calls/stage', order)).statusCode).toBe(503);
  api.callService.refusal = null;
  expect((await post(api, '/v1/calls/stage', order)).statusCode).toBe(201);
});

test('a staging that timed out is not made again', async () => {
  const api = await testApi();
  const order = await stageOrder(api);
  api.callService.ready = new Promise(() => {});
  const late = post(api, '/v1/calls/stage?sync=true', order);
  await vi.waitFor(() => expect(api.clock.waiting).toBe(1));
  api.clock.advance(10_000);
  const first = await late;
  expect(first.statusCode).toBe(408);
  const again = await post(api, '/v1/calls/stage?sync=true', order);
  expect([again.statusCode, again.body]).toEqual([408, first.body]);
  expect(api.callService.staged).toHaveLength(1);
});

test('a secret that is answered again is encrypted at rest', async () => {
  const api = await testApi();
  const url = `/v1/agents/${await createAgent(api)}/webhook-secret`;
  const first = await post(api, url, {});
  expect((await post(api, url, {})).body).toBe(first.body);
  const rows = await api.database.query.selectFrom('idempotency_keys').selectAll().execute();
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(first.json().data.secret);
});

test('a key that is empty or too long is 422; one of a read is not looked at', async () => {
  const api = await testApi();
  const trunk = { name: 't', termination_uri: 'sip.example.com' };
  const long = await post(api, '/v1/sip-trunks', trunk, 'k'.repeat(256));
  expect([long.statusCode, long.json().error.details[0].field]).toEqual([422, 'Idempotency-Key']);
  expect((await post(api, '/v1/sip-trunks', trunk, '')).statusCode).toBe(422);
  expect((await api.ask('GET', '/v1/sip-trunks')).body.data).toEqual([]);
});

const LOST = new DatabaseError('unavailable', 'the connection died behind the COMMIT');

test('a key whose claim may have been stored without anybody knowing is free again', async () => {
  const api = await testApi();
  const order = await stageOrder(api);
  const { idempotency } = api.repositories;
  const claim = idempotency.claim;
  vi.spyOn(idempotency, 'claim').mockImplementationOnce(async (...asked) => {
    await claim(...asked);
    throw LOST;
  });
  const answers = await Promise.all([post(api, '/v1/calls/stage', order), post(api, '/v1/calls/stage', order)]);
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 503]);
  expect((await post(api, '/v1/calls/stage', order)).statusCode).toBe(201);
  expect(api.callService.staged).toHaveLength(1);
});

test('an answer that the database did not take at once is taken later, and given again', async () => {
  const api = await testApi();
  const order = await stageOrder(api);
  vi.spyOn(api.repositories.idempotency, 'keep').mockRejectedValueOnce(LOST);
  const first = await post(api, '/v1/calls/stage', order);
  expect(first.statusCode).toBe(201);
  expect((await post(api, '/v1/calls/stage', order)).body).toBe(first.body);
  expect(api.callService.staged).toHaveLength(1);
});

test.each(['/v1/calls/stage', '/v1/calls/phone'])(
  'a %s whose process died before its answer was kept is not made again',
  async (url) => {
    const api = await testApi();
    const trunk = await api.ask('POST', '/v1/sip-trunks', { name: 't', termination_uri: 'sip.example.com' });
    const number = { number: '+4915112345678', trunk_id: trunk.body.data.id };
    expect((await api.ask('POST', '/v1/phone-numbers', number)).status).toBe(201);
    const order = await stageOrder(api);
    const died = Promise.withResolvers<void>();
    const keep = vi.spyOn(api.repositories.idempotency, 'keep').mockReturnValueOnce(died.promise);
    const unanswered = post(api, url, order);
    await vi.waitFor(() => expect(keep).toHaveBeenCalled());

    const { repositories, callService, secrets } = api;
    const next = await testApi({ repositories, callService, secrets });
    const again = await post(next, url, order);
    const [call, ...more] = (await api.ask('GET', '/v1/calls')).body.data;
    expect(more).toEqual([]);
    expect([again.statusCode, again.json().data]).toEqual([201, { call_id: call.id }]);
    expect((await post(next, url, order)).body).toBe(again.body);
    expect((await post(next, url, { ...order, to_number: '+493099999999' })).statusCode).toBe(409);
    died.resolve();
    await unanswered;
  },
);
