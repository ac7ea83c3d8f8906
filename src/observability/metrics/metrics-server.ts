import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../log/log.ts';
import type { MetricsReader } from './metrics-reader.ts';

/** Request timeout, ms. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Maximum number of connections. */
const CONNECTIONS_MAX = 32;

export interface MetricsServerOptions {
  readonly bind: { readonly host: string; readonly port: number };
  readonly reader: Pick<MetricsReader, 'contentType' | 'text'>;
  readonly log: Pick<Log, 'error' | 'warn'>;
}

export interface MetricsServer {
  readonly address: AddressInfo;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` in the Prometheus text format, on its own address and without a key. null: the address is not available, which
 * is logged; calls work without metrics.
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer | null> {
  const { bind, log, reader } = options;
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const path = request.url?.split('?')[0];
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(path === '/metrics' ? 405 : 404).end();
      return;
    }
    reader.text().then(
      (text) => response.writeHead(200, { 'content-type': reader.contentType }).end(text),
      (error: unknown) => {
        log.warn({ err: error }, 'metrics scrape failed');
        response.writeHead(500).end();
      },
    );
  });
  server.maxConnections = CONNECTIONS_MAX;
  const address = await listening(server, bind).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = 'set METRICS_BIND to another address, or to off';
    log.error({ bind: `${bind.host}:${bind.port}`, reason, remedy }, 'METRICS_BIND bind failed');
    return null;
  });
  if (address === null) return null;
  return {
    address,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listening(server: Server, { host, port }: MetricsServerOptions['bind']): Promise<AddressInfo> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address;
}
