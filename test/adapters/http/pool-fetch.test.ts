import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { ConnectionPool } from '../../../adapters/http/connection-pool.ts';
import { fetchOver } from '../../../adapters/http/pool-fetch.ts';
import { PooledResponse } from '../../../adapters/http/pooled-response.ts';
import { LoopbackServer } from '../../providers/loopback-server.ts';
import { settle, waitFor } from '../contract/event-log.ts';

/** A fetch whose server answers with `answer`. */
async function start(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = await LoopbackServer.listen();
  server.http.on('request', answer);
  const pool = new ConnectionPool(server.origin);
  onTestFinished(async () => {
    await pool.close();
    await server.close();
  });
  return { server, fetch: fetchOver(pool) };
}

it('sends only known headers, and returns only those that are read', async () => {
  let received: IncomingMessage['headers'] = {};
  const { server, fetch } = await start((request, response) => {
    received = request.headers;
    response.writeHead(429, { 'retry-after': '7', 'set-cookie': 'session=secret' }).end('busy');
  });
  const headers = { authorization: 'Bearer k', 'x-stainless-os': 'Linux', 'x-secret': 's' };
  const response = await fetch(server.origin, { method: 'POST', body: '{}', headers });
  expect(Object.keys(received).sort()).toEqual(['authorization', 'connection', 'content-length', 'host']);
  expect([...response.headers]).toEqual([['retry-after', '7']]);
  expect([response.status, await response.text()]).toEqual([429, 'busy']);
});

it('follows no redirect and reaches no other server', async () => {
  let requests = 0;
  const { server, fetch } = await start((_request, response) => {
    requests++;
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  expect((await fetch(server.origin)).status).toBe(307);
  await expect(fetch('http://127.0.0.1:9/')).rejects.toThrow('another server');
  await expect(fetch('data:,')).rejects.toThrow('another server');
  expect(requests).toBe(1);
});

it('pauses the connection while the body is not read', async () => {
  const size = 64 * 1024 * 1024;
  let written = 0;
  const { server, fetch } = await start((_request, response) => {
    const write = (): void => {
      while (written < size) {
        written += 64 * 1024;
        if (!response.write(Buffer.alloc(64 * 1024))) {
          response.once('drain', write);
          return;
        }
      }
      response.end();
    };
    write();
  });
  const abort = new AbortController();
  const response = await fetch(server.origin, { signal: abort.signal });
  let before = -1;
  await waitFor(() => {
    const grown = written !== before;
    before = written;
    expect(grown).toBe(false);
  });
  await settle();
  expect(written).toBeLessThan(size);
  abort.abort();
  await expect(response.text()).rejects.toThrow();
  await waitFor(() => expect(server.openSockets).toBe(0));
});

it('reuses the connection of a response that was read only in part but ends', async () => {
  const { server, fetch } = await start((_request, response) => response.end('data: [DONE]\n\nmore'));
  for (let nth = 0; nth < 3; nth++) {
    const response = await fetch(server.origin);
    await response.body?.cancel();
    await settle();
  }
  expect(server.connections).toBe(1);
});

it('knows that a response ended with [DONE], from pieces of any size', () => {
  const bytes = Buffer.from('data: {"content":"data: [DONE]"}\n\ndata: [DONE]\n\n');
  for (let size = 1; size <= bytes.length; size++) {
    const response = new PooledResponse(null);
    for (let at = 0; at < bytes.length; at += size) {
      if (at + size < bytes.indexOf('\n')) expect(response.isDone).toBe(false);
      response.received(bytes.subarray(at, at + size));
    }
    expect(response.isDone).toBe(true);
  }
});
