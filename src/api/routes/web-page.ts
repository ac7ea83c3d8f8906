import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

/** Static files, in the same relative folder in the sources and in the package. */
const FOLDER = new URL('../web-page/', import.meta.url);
const FILES = [
  { url: '/call', file: 'index.html', type: 'text/html; charset=utf-8' },
  { url: '/call/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
  { url: '/call/page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
] as const;

/** Users type an API key into the page: no foreign script may run in it, and no other page may frame it. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ws: wss:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'permissions-policy': 'microphone=(self)',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
} as const;

/** The call page: talk to an agent from a browser. */
export function webPageRoutes(app: FastifyInstance): void {
  for (const { url, file, type } of FILES) {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');
    app.get(url, { schema: { hide: true } }, (_request, reply) =>
      reply
        .headers(HEADERS)
        .type(type)
        .serializer((body: string) => body)
        .send(text),
    );
  }
}
