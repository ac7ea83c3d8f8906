import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AvailabilityServer {
  readonly origin: string;
  /** The received queries, in order. */
  asked(): readonly Readonly<Record<string, string>>[];
  close(): Promise<void>;
}

/** The restaurant's system, called by the agent's custom function. */
export async function startAvailabilityServer(): Promise<AvailabilityServer> {
  const asked: Record<string, string>[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname !== '/availability') {
      response.writeHead(404).end();
      return;
    }
    asked.push(Object.fromEntries(searchParams));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ available: true, time: searchParams.get('time'), table: 'by the window' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    asked: () => asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
