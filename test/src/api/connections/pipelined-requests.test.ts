import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { PIPELINED_REQUESTS_MAX } from '../../../../src/api/connections/pipelined-requests.ts';
import { ADMIN_KEY, testApi } from '../test-api.ts';

const REQUEST = `GET /v1/agents HTTP/1.1\r\nhost: x\r\nx-api-key: ${ADMIN_KEY}\r\n\r\n`;
const LAST_REQUEST = REQUEST.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n');

/** Sends requests at once on one connection. Resolves with what the server sent until it closed, and the keys that it looked up. */
async function pipeline(requests: string) {
  const api = await testApi();
  const findKey = vi.spyOn(api.repositories.organizations, 'findKey');
  const socket = connect(Number(new URL(await api.app.listen({ host: '127.0.0.1', port: 0 })).port), '127.0.0.1');
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    text += bytes.toString();
  });
  socket.write(requests);
  await once(socket, 'close');
  return { responses: text.split('HTTP/1.1 200').length - 1, lookups: findKey.mock.calls.length };
}

it('handles as many requests of a connection at once as a client that pipelines sends', async () => {
  const requests = REQUEST.repeat(PIPELINED_REQUESTS_MAX - 1) + LAST_REQUEST;
  expect(await pipeline(requests)).toEqual({ responses: PIPELINED_REQUESTS_MAX, lookups: PIPELINED_REQUESTS_MAX });
});

it('closes a connection with more requests in progress, and handles none of the others', async () => {
  expect(await pipeline(REQUEST.repeat(500))).toEqual({ responses: 0, lookups: PIPELINED_REQUESTS_MAX });
});

it('handles any number of requests of a connection one after another', async () => {
  const api = await testApi();
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  for (let count = 0; count < 3 * PIPELINED_REQUESTS_MAX; count++) {
    const response = await fetch(`${url}/v1/agents`, { headers: { 'x-api-key': ADMIN_KEY } });
    await response.text();
    expect(response.status).toBe(200);
  }
});
