import { once } from 'node:events';
import { createServer } from 'node:http';

/** A collector of traces and metrics over OTLP/HTTP that accepts everything and keeps only its size. */
export interface TelemetryCollector {
  /** `http://127.0.0.1:4711` */
  readonly origin: string;
  readonly requests: number;
  readonly bytes: number;
  close(): void;
}

export async function startTelemetryCollector(): Promise<TelemetryCollector> {
  let requests = 0;
  let bytes = 0;
  const server = createServer((request, response) => {
    requests++;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    // An empty body is an empty protobuf message: everything is accepted.
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    get bytes() {
      return bytes;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
