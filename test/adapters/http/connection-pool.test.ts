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

  /** Answers every POST with one event; `hold`: its answer has no end. */
  async function start(hold = false, connectionsMax?: number): Promise<void> {
    server = await LoopbackServer.listen();
    server.http.on('request', (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (hold) response.write('data: begun\n\n');
      else response.end('data: whole\n\n');
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

  test('gives simultaneous requests a connection each, and reuses these for later requests', async () => {
    await start();
    await Promise.all(Array.from({ length: 5 }, () => ask()));
    expect(server.connections).toBe(5);
    for (let later = 0; later < 5; later++) await ask();
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
    let begun = 0;
    for (let nth = 0; nth < 100; nth++) {
      void ask((exchange) => {
        begun++;
        exchange().abort();
      });
    }
    await waitFor(() => expect(begun).toBe(100));
    await waitFor(() => expect(server.openSockets).toBe(0));
  });

  test('dials no more at its bound, and dials ahead again below it', async () => {
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
    server.http.on('request', (_request, response) => response.end('data: whole\n\n'));
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
