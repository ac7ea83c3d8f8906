import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ReceivedSpan, readTraceRequest } from './received-span.ts';

/** What a collector does with each request: accepts it, responds 503, or never responds. */
export type CollectorBehaviour = 'accept' | 'refuse' | 'hang';

export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  behaviour: CollectorBehaviour;
  /** Of the accepted requests. */
  readonly spans: readonly ReceivedSpan[];
  readonly headers: readonly IncomingHttpHeaders[];
  /** The number of all requests, accepted or not. */
  readonly requests: number;
  /** Resolves with the next request, accepted or not. */
  nextRequest(): Promise<void>;
  close(): Promise<void>;
}

/** An OTLP collector over HTTP with protobuf. */
export async function startCollector(behaviour: CollectorBehaviour = 'accept'): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let requests = 0;
  let next = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests += 1;
      if (collector.behaviour === 'accept') {
        spans.push(...readTraceRequest(Buffer.concat(chunks)));
        headers.push(request.headers);
        response.writeHead(request.url === '/v1/traces' ? 200 : 404).end();
      } else if (collector.behaviour === 'refuse') response.writeHead(503).end();
      next.resolve();
      next = Promise.withResolvers<void>();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const collector: Collector = {
    endpoint: `http://127.0.0.1:${port}`,
    behaviour,
    spans,
    headers,
    get requests() {
      return requests;
    },
    nextRequest: () => next.promise,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return collector;
}
