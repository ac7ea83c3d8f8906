import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ReceivedLog, readLogsRequest } from './received-log.ts';
import { type ReceivedMetric, readMetricsRequest } from './received-metric.ts';
import { type ReceivedSpan, readTraceRequest } from './received-span.ts';

/** Response of a collector to each request: it accepts it, responds 503 or 404, or never responds. */
export type CollectorBehaviour = 'accept' | 'refuse' | 'missing' | 'hang';

export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  behaviour: CollectorBehaviour;
  /** Content of the accepted requests. */
  readonly spans: readonly ReceivedSpan[];
  readonly logs: readonly ReceivedLog[];
  readonly metrics: readonly ReceivedMetric[];
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
  const logs: ReceivedLog[] = [];
  const metrics: ReceivedMetric[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let requests = 0;
  let next = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests += 1;
      if (collector.behaviour === 'accept') {
        const body = Buffer.concat(chunks);
        headers.push(request.headers);
        if (request.url === '/v1/traces') spans.push(...readTraceRequest(body));
        else if (request.url === '/v1/logs') logs.push(...readLogsRequest(body));
        else metrics.push(...readMetricsRequest(body));
        response.writeHead(200).end();
      } else if (collector.behaviour !== 'hang') {
        response.writeHead(collector.behaviour === 'refuse' ? 503 : 404).end();
      }
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
    logs,
    metrics,
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
