import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { LoopbackServer } from './loopback-server.ts';

/** An emulator that serves some of a provider's paths. */
export interface FrontRoute {
  /** Prefix of the paths. */
  readonly path: string;
  readonly origin: string;
  readonly apiKey: string;
}

export interface ProviderFront {
  readonly origin: string;
  readonly apiKey: string;
  close(): Promise<void>;
}

const API_KEY = 'sk-key-of-the-front';

/** One address and one key for several emulators, as a real provider has for all its APIs. */
export async function startProviderFront(routes: readonly FrontRoute[]): Promise<ProviderFront> {
  const server = await LoopbackServer.listen();
  const routeOf = (url = '/') => routes.find(({ path }) => url.startsWith(path));

  server.http.on('request', (request, response) => {
    const route = routeOf(request.url);
    if (route === undefined) {
      response.writeHead(404).end('{}');
      return;
    }
    const headers = withKey(request.headers, route);
    const onward = httpRequest(`${route.origin}${request.url}`, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });

  server.http.on('upgrade', (request, socket, head) => {
    const route = routeOf(request.url);
    if (route === undefined) {
      socket.destroy();
      return;
    }
    const { hostname, port } = new URL(route.origin);
    const onward = connect(Number(port), hostname, () => {
      const headers = Object.entries(withKey(request.headers, route)).map(([name, value]) => `${name}: ${value}\r\n`);
      onward.write(`GET ${request.url} HTTP/1.1\r\n${headers.join('')}\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const [source, target] of [
      [onward, socket],
      [socket, onward],
    ] as const) {
      source.on('error', () => target.destroy());
      source.on('close', () => target.destroy());
    }
  });

  return { origin: server.origin, apiKey: API_KEY, close: () => server.close() };
}

function withKey(headers: IncomingHttpHeaders, { apiKey }: FrontRoute): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value).replaceAll(API_KEY, apiKey)]),
  );
}
