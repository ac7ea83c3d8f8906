import { expect, it } from 'vitest';
import { newCall } from '../../storage/temporary-database.ts';
import { ADMIN_KEY, createAgent, OTHER_KEY, READ_KEY, testApi } from '../test-api.ts';

/** An API whose traces keep a ladder and a capture of each call, or none. */
async function tracedApi(hasTraces: boolean) {
  const captured: string[] = [];
  const forgotten: string[] = [];
  const traces = {
    capture: (callId: string) => hasTraces && captured.push(callId) > 0,
    ladder: () => (hasTraces ? '0.0 ms  <──  INVITE\n' : null),
    pcap: () => (hasTraces ? Uint8Array.of(0xa1, 0xb2) : null),
    forget: (callId: string) => forgotten.push(callId),
  };
  const elsewhere: string[] = [];
  const api = await testApi({
    traces,
    traceElsewhere: async ({ id }, trace) => {
      elsewhere.push(`${id} ${trace}`);
      return null;
    },
  });
  const call = newCall(await createAgent(api));
  await api.repositories.calls.createCall(call);
  const ask = (method: 'GET' | 'POST', resource: string, key = ADMIN_KEY, id = call.id) =>
    api.app.inject({ method, url: `/v1/calls/${id}/${resource}`, headers: { 'x-api-key': key } });
  return { api, ask, call, captured, elsewhere, forgotten };
}

it('a ladder needs the scope read, a capture the scope admin', async () => {
  const { ask, call, captured } = await tracedApi(true);
  const ladder = await ask('GET', 'sip-ladder', READ_KEY);
  expect([ladder.statusCode, ladder.body]).toEqual([200, '0.0 ms  <──  INVITE\n']);
  expect(ladder.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect((await ask('POST', 'capture')).statusCode).toBe(200);
  expect(captured).toEqual([call.id]);
  const pcap = await ask('GET', 'pcap');
  expect([pcap.statusCode, [...pcap.rawPayload]]).toEqual([200, [0xa1, 0xb2]]);
});

it.each([
  ['GET', 'pcap'],
  ['POST', 'capture'],
] as const)('%s %s is 403 for a key with only the scope read', async (method, resource) => {
  const { ask, captured } = await tracedApi(true);
  expect((await ask(method, resource, READ_KEY)).statusCode).toBe(403);
  expect(captured).toEqual([]);
});

it.each([
  ['GET', 'sip-ladder'],
  ['GET', 'pcap'],
  ['POST', 'capture'],
] as const)('%s %s of an unknown call or a call of another organization is 404', async (method, resource) => {
  const { ask, captured } = await tracedApi(true);
  expect((await ask(method, resource, OTHER_KEY)).statusCode).toBe(404);
  expect((await ask(method, resource, ADMIN_KEY, '00000000-0000-4000-8000-00000000000f')).statusCode).toBe(404);
  expect(captured).toEqual([]);
});

it('a missing ladder or capture is 404, and only a call in progress can be captured', async () => {
  const { ask } = await tracedApi(false);
  expect((await ask('GET', 'sip-ladder')).statusCode).toBe(404);
  expect((await ask('GET', 'pcap')).statusCode).toBe(404);
  expect((await ask('POST', 'capture')).statusCode).toBe(409);
});

it('asks the node of the call for a trace that this node lacks; 503 if that node does not answer', async () => {
  const asked: string[] = [];
  let isThere = true;
  const traces = { capture: () => false, ladder: () => null, pcap: () => null, forget: () => {} };
  const api = await testApi({
    traces,
    traceElsewhere: async (call, trace) => {
      asked.push(`${call.id} ${trace}`);
      return isThere ? Buffer.from(trace) : 'not_taken';
    },
  });
  const { id } = newCall(await createAgent(api));
  await api.repositories.calls.createCall(newCall(await createAgent(api), { id }));
  const ask = (method: 'GET' | 'POST', resource: string) =>
    api.app.inject({ method, url: `/v1/calls/${id}/${resource}`, headers: { 'x-api-key': ADMIN_KEY } });
  expect((await ask('GET', 'sip-ladder')).body).toBe('ladder');
  expect((await ask('POST', 'capture')).statusCode).toBe(200);
  expect((await ask('GET', 'pcap')).body).toBe('pcap');
  expect(asked).toEqual(['ladder', 'capture', 'pcap'].map((trace) => `${id} ${trace}`));
  isThere = false;
  const statuses = [await ask('GET', 'sip-ladder'), await ask('POST', 'capture'), await ask('GET', 'pcap')];
  expect(statuses.map(({ statusCode }) => statusCode)).toEqual([503, 503, 503]);
});

it('a capture is deleted with the content of the call, also on the node of the call, and no node shows it', async () => {
  const { api, ask, call, elsewhere, forgotten } = await tracedApi(true);
  await api.repositories.calls.finish(call.id, {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: api.clock.nowMs,
  });
  expect((await ask('GET', 'pcap')).statusCode).toBe(200);
  expect((await api.ask('DELETE', `/v1/calls/${call.id}`)).status).toBe(200);
  expect(forgotten).toEqual([call.id]);
  expect(elsewhere).toEqual([`${call.id} forget`]);
  expect((await ask('GET', 'pcap')).statusCode).toBe(404);
});
