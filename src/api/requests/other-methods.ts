import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/**
 * Answers the methods that a path does not have with 405 and `Allow` (RFC 9110 §15.5.6), before authentication: the paths and their
 * methods are public. Returns a function to call after all routes were added.
 */
export function collectMethods(app: FastifyInstance): () => void {
  addParsedMethods(app);
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url }) => {
    const methods = methodsOf.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsOf.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...methodsOf]) {
      const allow = [...methods].sort().join(', ');
      app.route({
        method: app.supportedMethods.filter((method) => !methods.has(method)),
        url,
        exposeHeadRoute: false,
        schema: { hide: true },
        onRequest: async (_request, reply) => {
          reply.header('allow', allow);
          throw new ApiError('method_not_allowed');
        },
        handler: () => undefined,
      });
    }
  };
}

/** Fastify responds 404 to a method that it does not know. CONNECT reaches no route: Node closes its connection. */
function addParsedMethods(app: FastifyInstance): void {
  for (const method of METHODS)
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
}
