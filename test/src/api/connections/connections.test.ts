import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { KEYLESS_BODY_TIMEOUT_MS } from '../../../../src/api/connections/keyless-body.ts';
import { eventually } from '../../../service/rig/eventually.ts';
import { newCall } from '../../storage/temporary-database.ts';
import { ADMIN_KEY, createAgent, OTHER_KEY, type TestApi, testApi } from '../test-api.ts';

const CONNECTIONS_MAX = 4;

async function listening(api: TestApi): Promise<string> {
  return api.app.listen({ host: '127.0.0.1', port: 0 });
}

/** A connection that has sent `text`, and that the server knows. */
async function connection(api: TestApi, url: string, text = ''): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => {});
  await Promise.all([once(socket, 'connect'), once(api.app.server, 'connection')]);
  socket.write(text);
  return socket;
}

/** Opens the event stream of a call in progress, and reads its first bytes. */
async function openStream(api: TestApi, url: string): Promise<Socket> {
  const call = newCall(await createAgent(api), { status: 'ringing', nowMs: api.clock.nowMs });
  await api.repositories.calls.createCall(call);
  await api.repositories.calls.setStatus(call.id, { from: ['ringing'], to: 'in_progress', atMs: api.clock.nowMs });
  const socket = await connection(
    api,
    url,
    `GET /v1/calls/${call.id}/events HTTP/1.1\r\nhost: x\r\nx-api-key: ${ADMIN_KEY}\r\n\r\n`,
  );
  await once(socket, 'data');
  return socket;
}

const isClosed = (socket: Socket) => eventually(() => expect(socket.closed).toBe(true));

it('at the maximum, a new connection takes the place of the one that has been idle longest', async () => {
  const api = await testApi({ connectionsMax: CONNECTIONS_MAX });
  const url = await listening(api);
  const idle: Socket[] = [];
  for (let count = 0; count < CONNECTIONS_MAX; count++) {
    const socket = await connection(api, url);
    socket.resume();
    idle.push(socket);
  }
  const response = await fetch(`${url}/healthz`, { headers: { connection: 'close' } });
  expect(response.status).toBe(200);
  await isClosed(idle[0] as Socket);
  expect(idle.slice(1).map(({ closed }) => closed)).toEqual([false, false, false]);
});

it('a request that an API key has opened is not closed for new connections', async () => {
  const api = await testApi({ connectionsMax: CONNECTIONS_MAX });
  const url = await listening(api);
  const stream = await openStream(api, url);
  const idle: Socket[] = [];
  for (let count = 0; count < 2 * CONNECTIONS_MAX; count++) {
    const socket = await connection(api, url);
    socket.resume();
    idle.push(socket);
  }
  await isClosed(idle[CONNECTIONS_MAX] as Socket);
  expect(stream.closed).toBe(false);
  expect(idle.filter(({ closed }) => !closed)).toHaveLength(CONNECTIONS_MAX - 1);
});

it('an organization holds at most its share of the connections', async () => {
  const api = await testApi({ connectionsMax: CONNECTIONS_MAX });
  const url = await listening(api);
  const streams = [await openStream(api, url), await openStream(api, url)];
  const list = (key: string) =>
    fetch(`${url}/v1/agents`, { headers: { 'x-api-key': key, connection: 'close' } }).then(({ status }) => status);
  expect(await list(ADMIN_KEY)).toBe(429);
  expect(await list(OTHER_KEY)).toBe(200);
  for (const stream of streams) stream.destroy();
  await eventually(async () => expect(await list(ADMIN_KEY)).toBe(200));
});

it('a response returns the place of its request', async () => {
  const api = await testApi({ connectionsMax: 2 });
  for (let count = 0; count < 5; count++) expect((await api.ask('GET', '/v1/agents')).status).toBe(200);
});

it.each([
  { about: 'without a key', path: '/v1/agents', key: '', status: 401 },
  { about: 'with an unknown key', path: '/v1/agents', key: 'k'.repeat(40), status: 401 },
  { about: 'to an unknown path', path: '/nothing', key: '', status: 408 },
  { about: 'to a path that cannot be decoded', path: '/%ff', key: '', status: 400 },
])('a body $about that does not arrive is closed after seconds', async ({ key, path, status }) => {
  const api = await testApi();
  const url = await listening(api);
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n`;
  const socket = await connection(api, url, `${head}content-length: 1000\r\n\r\n{`);
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString();
  });
  await eventually(() => expect(api.clock.waiting).toBe(1));
  if (status !== 408) await eventually(() => expect(answer).toContain(`HTTP/1.1 ${status}`));
  api.clock.advance(KEYLESS_BODY_TIMEOUT_MS - 1);
  expect(socket.closed).toBe(false);
  api.clock.advance(1);
  await isClosed(socket);
  expect(answer).toContain(`HTTP/1.1 ${status}`);
});

it('a body with a key may arrive slowly, and one that has arrived leaves no timer', async () => {
  const api = await testApi();
  const url = await listening(api);
  const findKey = vi.spyOn(api.repositories.organizations, 'findKey');
  const body = JSON.stringify({ name: 'Hotel' });
  const head = `POST /v1/knowledge-bases HTTP/1.1\r\nhost: x\r\nx-api-key: ${ADMIN_KEY}\r\ncontent-type: application/json\r\n`;
  const socket = await connection(
    api,
    url,
    `${head}connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  await eventually(() => expect(findKey).toHaveBeenCalledOnce());
  // The service has waited for it before: the request has its key.
  await findKey.mock.results[0]?.value;
  expect(api.clock.waiting).toBe(1);
  api.clock.advance(10 * KEYLESS_BODY_TIMEOUT_MS);
  socket.write(body.slice(5));
  expect(Buffer.concat(await socket.toArray()).toString()).toContain('HTTP/1.1 201');
  const arrived = await api.ask('POST', '/v1/knowledge-bases', { name: 'Second' });
  expect([arrived.status, api.clock.waiting]).toEqual([201, 0]);
});
