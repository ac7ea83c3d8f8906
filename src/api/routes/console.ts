import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ConsoleFiles, readConsoleFiles } from '../console/console-files.ts';
import { ApiError } from '../errors/api-error.ts';
import { endpointNotFound } from '../errors/error-response.ts';

/** Texts in the built page that each response replaces. `console/index.html` has them. */
const NONCE_PLACEHOLDER = /TRUNKLINE_NONCE/g;
const REFERENCE_PLACEHOLDER = 'TRUNKLINE_REFERENCE';
const NONCE_BYTES = 16;
const NOT_BUILT = 'The console is not built: run npm run build --workspace console, then start the service again';

/** Users type an API key into the page: no script of another origin may run in it, and no other page may frame it. */
const HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'microphone=(self)',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** A host and its port, as a policy may name it. */
const HOST = /^[\w.[\]:-]+$/;

/**
 * Only styles have a nonce: the editor and the waveform write style elements. Scripts are files of this service. Older browsers do not
 * count the WebSocket of a web call as `'self'`.
 */
function contentSecurityPolicy(nonce: string, host: string): string {
  const socket = HOST.test(host) ? ` ws://${host} wss://${host}` : '';
  return (
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
    `media-src 'self' blob:; connect-src 'self'${socket}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  );
}

/**
 * The web console. Its paths follow the #, so one page serves them all, under any path of a reverse proxy. `/call` leads to it, too:
 * a browser keeps the fragment of a redirected address, with the prepared call in it.
 *
 * @param hasReference whether the service serves the API reference, to which the page then leads
 */
export function consoleRoutes(
  app: FastifyInstance,
  hasReference: boolean,
  files: ConsoleFiles | null = readConsoleFiles(),
): void {
  // Relative targets: a reverse proxy may serve the service below a path. Browsers ask for HTML, other clients for anything.
  app.get('/', { schema: { hide: true } }, (request, reply) => {
    reply.header('vary', 'accept');
    if (!(request.headers.accept ?? '').includes('text/html')) throw endpointNotFound();
    return reply.redirect('console/', 302);
  });
  app.get('/console', { schema: { hide: true } }, (_request, reply) => reply.redirect('console/', 308));
  app.get('/call', { schema: { hide: true } }, (_request, reply) => reply.redirect('console/call', 308));
  const page = (request: FastifyRequest, reply: FastifyReply) => {
    if (files === null) throw new ApiError('not_found', { message: NOT_BUILT });
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    return reply
      .headers({
        ...HEADERS,
        'content-security-policy': contentSecurityPolicy(nonce, request.host),
        'cache-control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .serializer((page: string) => page)
      .send(files.page.replace(NONCE_PLACEHOLDER, nonce).replace(REFERENCE_PLACEHOLDER, String(hasReference)));
  };
  app.get('/console/', { schema: { hide: true } }, page);
  app.get('/console/call', { schema: { hide: true } }, page);
  app.get<{ Params: { name: string } }>('/console/assets/:name', { schema: { hide: true } }, (request, reply) => {
    const asset = files?.assets.get(request.params.name);
    if (asset === undefined) throw new ApiError('not_found');
    const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    // The name contains a hash of the content.
    reply.headers({ ...HEADERS, 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' });
    if (asset.gzip === null || !takesGzip) return reply.type(asset.type).send(asset.body);
    return reply.type(asset.type).header('content-encoding', 'gzip').send(asset.gzip);
  });
}
