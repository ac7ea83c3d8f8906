import { afterEach, describe, expect, test } from 'vitest';
import { ConnectionPool } from '../../../adapters/http/connection-pool.ts';
import { type EventStreamFailure, EventStreamRequest } from '../../../adapters/http/event-stream-request.ts';
import { LoopbackServer } from '../../providers/loopback-server.ts';
import { settle, waitFor } from '../contract/event-log.ts';

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
      else response.end('data: complete\n\n');
    });
    pool = new ConnectionPool(`${server.origin}/v1/`, connectionsMax);
  }

  function ask(
    onEvent: (exchange: () => EventStreamRequest) => void = () => undefined,
  ): Promise<EventStreamFailure | null> {
    return new Promise((resolve) => {
      const request = { path: '/answers', headers: { 'content-type': 'application/json' }, body: '{}' };
      const exchange: EventStreamRequest = EventStreamRequest.open(pool, request, {
        onEvent: () => onEvent(() => exchange),
        onEnd: () => resolve(null),
        onFailure: resolve,
      });
    });
  }

  test('sends requests below the path of its base URL', async () => {
    await start();
    let url: string | undefined;
    server.http.on('request', (request) => {
      url = request.url;
    });
    expect(await ask()).toBeNull();
    expect(url).toBe('/v1/answers');
  });

  test('opens a connection for each simultaneous request, and reuses them for later requests', async () => {
    await start();
    await Promise.all(Array.from({ length: 5 }, () => ask()));
    expect(server.connections).toBe(5);
    for (let nth = 0; nth < 5; nth++) await ask();
    expect(server.connections).toBe(5);
  });

  test('does not reuse a connection that the server closed while it was idle', async () => {
    await start();
    await ask();
    server.http.closeIdleConnections();
    await waitFor(() => expect(server.openSockets).toBe(0));
    await settle();
    expect(await ask()).toBeNull();
    expect(server.connections).toBe(2);
  });

  test('a hundred cancelled requests leave no connection', async () => {
    await start(true);
    let started = 0;
    for (let nth = 0; nth < 100; nth++) {
      void ask((exchange) => {
        started++;
        exchange().abort();
      });
    }
    await waitFor(() => expect(started).toBe(100));
    await waitFor(() => expect(server.openSockets).toBe(0));
  });

  test('opens no connection at its bound, and warms one again below it', async () => {
    await start(true, 1);
    const lost = ask();
    await waitFor(() => expect(server.openSockets).toBe(1));
    pool.warm();
    expect(await ask()).toEqual({ type: 'unsendable' });
    server.http.closeAllConnections();
    expect((await lost)?.type).toBe('closed');
    pool.warm();
    await waitFor(() => expect(server.connections).toBe(2));
    server.http.removeAllListeners('request');
    server.http.on('request', (_request, response) => response.end('data: complete\n\n'));
    server.http.closeAllConnections();
    await waitFor(() => expect(server.openSockets).toBe(0));
    await settle();
    for (let nth = 0; nth < 3; nth++) expect(await ask()).toBeNull();
    expect(server.connections).toBe(3);
  });

  test('a closed pool sends no request, and waiting requests fail', async () => {
    await start(true);
    const waiting = ask();
    await waitFor(() => expect(server.openSockets).toBe(1));
    await settle();
    await pool.close();
    expect(['closed', 'unreachable']).toContain((await waiting)?.type);
    pool.warm();
    expect(await ask()).toEqual({ type: 'unsendable' });
    expect(server.connections).toBe(1);
  });
});
