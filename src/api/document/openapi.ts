import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { completed, IDEMPOTENCY_KEY_HEADER } from './document.ts';
import { INTRODUCTION, TAGS } from './introduction.ts';
import type { PlainDocument } from './openapi-document.ts';
import { addReferencePage } from './reference-page.ts';
import { webhookSection } from './webhook-section.ts';

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key of your organization.' },
} as const;

/** Serves the document, generated from the schemas of the routes, at `/openapi.json`, and its reference page at `/docs`. */
export async function addOpenApi(app: FastifyInstance, publicUrl: () => string): Promise<void> {
  // Its cache of the named schemas belongs to this server: the shared one misses schemas that were registered again.
  const jsonSchemaTransform = createJsonSchemaTransform({});
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Trunkline API',
        description: INTRODUCTION,
        version: '1',
      },
      tags: [...TAGS],
      components: { securitySchemes: SECURITY_SCHEMES },
      security: [{ apiKey: [] }],
    },
    transform: (given) => {
      const { schema, url } = jsonSchemaTransform(given);
      const creates = given.route.config?.creates === true;
      return { schema: creates ? { ...schema, headers: IDEMPOTENCY_KEY_HEADER } : schema, url };
    },
    transformObject: jsonSchemaTransformObject,
  });

  /** The document is large and needs no key: it is serialized once per public URL. */
  let written = { url: '', text: '' };
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    const url = publicUrl();
    if (written.url !== url) {
      const generated: PlainDocument = JSON.parse(JSON.stringify(app.swagger()));
      const document = completed(generated, webhookSection());
      const components = { securitySchemes: SECURITY_SCHEMES, ...document.components };
      written = { url, text: JSON.stringify({ ...document, servers: [{ url }], components }) };
    }
    return reply
      .type('application/json; charset=utf-8')
      .serializer((text: string) => text)
      .send(written.text);
  });
  await app.register(async (page) => {
    page.addHook('onSend', async (_request, reply) => {
      reply.header('content-security-policy', referencePolicy(publicUrl()));
    });
    addReferencePage(page);
  });
}

/** The page works without the internet, and nothing that a user types into it leaves this service. Its start script is inline. */
function referencePolicy(publicUrl: string): string {
  const { origin } = new URL(publicUrl);
  return (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    `font-src 'self' data:; connect-src 'self' ${origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  );
}
