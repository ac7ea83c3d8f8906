import Fastify, { type FastifyInstance, type FastifyReply, type LightMyRequestResponse } from 'fastify';

/** The paths of the page that Scalar's plugin serves. */
const PATHS = ['/docs', '/docs/', '/docs/js/scalar.js'] as const;
/** Settings of the reference page. Features that would send the document to Scalar's services are off. */
const REFERENCE = {
  url: '/openapi.json',
  showDeveloperTools: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  withDefaultFonts: false,
} as const;

/**
 * Serves the reference page at `/docs`. Its package holds a script of 4 MB and takes 27 MB of memory, so it is loaded at
 * the first visit, into a separate server: a server that listens takes no more plugins. Each of its responses is kept.
 */
export function addReferencePage(app: FastifyInstance): void {
  const answers = new Map<string, Promise<LightMyRequestResponse>>();
  let server: Promise<FastifyInstance> | null = null;
  for (const path of PATHS) {
    app.get(path, { schema: { hide: true } }, async (_request, reply) => {
      server ??= loadServer();
      const answer = answers.get(path) ?? server.then((loaded) => loaded.inject(path));
      answers.set(path, answer);
      return send(reply, await answer);
    });
  }
}

async function loadServer(): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference');
  const server = Fastify();
  await server.register(apiReference, { routePrefix: '/docs', configuration: REFERENCE });
  return server;
}

function send(reply: FastifyReply, { statusCode, headers, body }: LightMyRequestResponse): FastifyReply {
  const { 'content-type': type, location } = headers;
  if (location !== undefined) reply.header('location', location);
  return reply
    .code(statusCode)
    .type(type ?? 'text/plain')
    .send(body);
}
