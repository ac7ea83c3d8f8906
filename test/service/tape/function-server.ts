import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RecordedToolResult } from '../../../engine/tape/re-simulation/recorded-responses.ts';

export interface FunctionServer {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves the tools of tapes over HTTP. `/NAME/…` answers with the result and the delay recorded on the tape NAME. */
export async function startFunctionServer(
  tapes: ReadonlyMap<string, readonly RecordedToolResult[]>,
): Promise<FunctionServer> {
  const server = createServer((request, response) => {
    const [, name = '', ...path] = new URL(request.url ?? '/', 'http://localhost').pathname.split('/');
    const recorded = tapes.get(name)?.find(({ run }) => new URL(run.url).pathname === `/${path.join('/')}`);
    setTimeout(() => {
      response.writeHead(recorded?.result.httpStatus ?? 404, { 'content-type': 'application/json' });
      response.end(recorded?.result.content ?? '{}');
    }, recorded?.delayMs ?? 0);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
