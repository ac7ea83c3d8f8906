import { z } from 'zod';
import { WEBHOOK_EVENT_TYPES } from '../storage/events/webhook-event.ts';
import { eventBodySchema } from '../webhooks/event-kinds.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

interface WebhookOperation {
  readonly post: object;
}

/** What the OpenAPI document says of webhooks: one operation a kind of event, and the schemas that those refer to. */
export function webhookSection() {
  const webhooks: Record<string, WebhookOperation> = {};
  const schemas: Record<string, JsonSchema> = {};
  for (const kind of WEBHOOK_EVENT_TYPES) {
    const { $defs = {}, $schema: _dialect, ...schema } = inComponents(z.toJSONSchema(eventBodySchema(kind)), kind);
    for (const [name, definition] of Object.entries($defs)) schemas[`${kind}${name}`] = definition;
    webhooks[kind] = {
      post: {
        summary: kind,
        description: 'Signed after Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature.',
        tags: ['Webhooks'],
        security: [],
        requestBody: { content: { 'application/json': { schema } } },
        responses: {
          '2XX': { description: 'Received.' },
          '410': { description: "The receiver is gone: the agent's webhook is off until its URL is set again." },
          default: { description: 'Tried again after 5 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h.' },
        },
      },
    };
  }
  return { webhooks, schemas };
}

/** A schema's own definitions live in the document's components, under names that begin with its kind. */
function inComponents(schema: JsonSchema, kind: string): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"#/components/schemas/${kind}`));
}
