import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionPool } from '../../../adapters/http/connection-pool.ts';
import { fetchOver } from '../../../adapters/http/pool-fetch.ts';
import { LoopbackServer } from '../../providers/loopback-server.ts';
import { settle, waitFor } from '../contract/event-log.ts';

const ANSWER = 'data: complete\n\n';

describe('a warm pool', () => {
  let server: LoopbackServer;
  let pool: ConnectionPool;

  afterEach(async () => {
    await pool.close();
    await waitFor(() => expect(server.openSockets).toBe(0));
    await server.close();
  });

  /** Answers every POST with one event. With `hold` the response does not end. */
  async function start(hold = false, connectionsMax?: number): Promise<void> {
    server = await LoopbackServer.listen();
    server.http.on('request', (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (hold) response.write('data: first\n\n');
      else response.end(ANSWER);
    });
    pool = new ConnectionPool(`${server.origin}/v1`, connectionsMax);
  }

  /** Resolves with the text of the response; `undefined` if it failed. */
  async function ask(init: RequestInit = {}): Promise<string | undefined> {
    try {
      const response = await fetchOver(pool)(`${server.origin}/answers`, { method: 'POST', body: '{}', ...init });
      return await response.text();
    } catch {
      return undefined;
    }
  }

  it('opens a connection for each simultaneous request, and reuses them for later requests', async () => {
    await start();
    await Promise.all(Array.from({ length: 5 }, () => ask()));
    expect(server.connections).toBe(5);
    for (let nth = 0; nth < 5; nth++) await ask();
    expect(server.connections).toBe(5);
  });

  it('does not reuse a connection that the server closed while it was idle', async () => {
    await start();
    await ask();
    server.http.closeIdleConnections();
    await waitFor(() => expect(server.openSockets).toBe(0));
    await settle();
    expect(await ask()).toBe(ANSWER);
    expect(server.connections).toBe(2);
  });

  it('a hundred cancelled requests leave no connection', async () => {
    await start(true);
    let started = 0;
    const abort = new AbortController();
    server.http.on('request', () => {
      started++;
    });
    const asked = Array.from({ length: 100 }, () => ask({ signal: abort.signal }));
    await waitFor(() => expect(started).toBe(100));
    abort.abort();
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 100 }, () => undefined));
    await waitFor(() => expect(server.openSockets).toBe(0));
  });

  it('opens no connection at its bound, and warms one again below it', async () => {
    await start(true, 1);
    const lost = ask();
    await waitFor(() => expect(server.openSockets).toBe(1));
    pool.warm();
    expect(await ask()).toBeUndefined();
    server.http.closeAllConnections();
    expect(await lost).toBeUndefined();
    pool.warm();
    await waitFor(() => expect(server.connections).toBe(2));
    server.http.removeAllListeners('request');
    server.http.on('request', (_request, response) => response.end(ANSWER));
    server.http.closeAllConnections();
    await waitFor(() => expect(server.openSockets).toBe(0));
    await settle();
    for (let nth = 0; nth < 3; nth++) expect(await ask()).toBe(ANSWER);
    expect(server.connections).toBe(3);
  });

  it('a closed pool sends no request, and waiting requests fail', async () => {
    await start(true);
    const waiting = ask();
    await waitFor(() => expect(server.openSockets).toBe(1));
    await settle();
    await pool.close();
    expect(await waiting).toBeUndefined();
    pool.warm();
    expect(await ask()).toBeUndefined();
    expect(server.connections).toBe(1);
  });
});
