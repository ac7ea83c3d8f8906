import swagger from '@fastify/swagger';
import apiReference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';

/** Serves the document that is made from the routes' schemas at `/openapi.json`, and for people at `/docs`. */
export async function addOpenApi(app: FastifyInstance, publicUrl: () => string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Trunkline',
        description: 'Conversational agents that place and answer phone calls on your own SIP trunks.',
        version: '1',
      },
      components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
      security: [{ apiKey: [] }],
    },
    transform: jsonSchemaTransform,
  });
  app.get('/openapi.json', { schema: { hide: true } }, () => ({
    ...app.swagger(),
    servers: [{ url: publicUrl() }],
  }));
  await app.register(apiReference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
}
