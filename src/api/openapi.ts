import swagger from '@fastify/swagger';
import apiReference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { webhookSection } from './webhook-section.ts';

/** The reference page without what would send the document to its maker's own services. */
const REFERENCE = {
  url: '/openapi.json',
  showDeveloperTools: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
} as const;

const SECURITY_SCHEMES = { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } as const;

/** Serves the document that is made from the routes' schemas at `/openapi.json`, and for people at `/docs`. */
export async function addOpenApi(app: FastifyInstance, publicUrl: () => string): Promise<void> {
  const { webhooks, schemas } = webhookSection();
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Trunkline',
        description: 'Conversational agents that place and answer phone calls on your own SIP trunks.',
        version: '1',
      },
      components: { securitySchemes: SECURITY_SCHEMES },
      security: [{ apiKey: [] }],
    },
    transform: jsonSchemaTransform,
  });

  /** The document is large and anyone may ask for it: it is written once for each place that it is served at. */
  let written = { url: '', text: '' };
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    const url = publicUrl();
    if (written.url !== url) {
      const components = { securitySchemes: SECURITY_SCHEMES, schemas };
      written = { url, text: JSON.stringify({ ...app.swagger(), servers: [{ url }], components, webhooks }) };
    }
    return reply
      .type('application/json; charset=utf-8')
      .serializer((text: string) => text)
      .send(written.text);
  });
  await app.register(apiReference, { routePrefix: '/docs', configuration: REFERENCE });
}
