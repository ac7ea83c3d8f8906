import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';

export interface LoopbackServer {
  readonly server: Server;
  readonly port: number;
  /** Ends with a slash. */
  readonly url: string;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** An HTTP server on a free port of 127.0.0.1. */
export async function serveLoopback(listener: RequestListener): Promise<LoopbackServer> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { server, port: address.port, url: `http://127.0.0.1:${address.port}/`, close };
}
