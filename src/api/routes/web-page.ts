import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

/** Plain files, beside the sources and in a package alike. */
const FOLDER = new URL('../web-page/', import.meta.url);
const FILES = [
  { url: '/call', file: 'index.html', type: 'text/html; charset=utf-8' },
  { url: '/call/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
  { url: '/call/page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
] as const;

/** Nothing from elsewhere runs in a page that somebody types an API key into, and no other page frames it. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ws: wss:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'permissions-policy': 'microphone=(self)',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
} as const;

/** The page that talks to an agent from a browser. */
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
