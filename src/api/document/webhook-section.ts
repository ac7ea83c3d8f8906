import { z } from 'zod';
import { EVENT_DATA_SCHEMAS, eventBodySchema } from '../../background/webhooks/event-kinds.ts';
import { WEBHOOK_EVENT_TYPES } from '../../storage/events/webhook-event.ts';
import { lookupOperation } from './lookup-operation.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

interface WebhookOperation {
  readonly post: object;
}

/** The webhooks of the OpenAPI document: the lookup before the answer, one operation per event kind, and the schemas that they refer to. */
export function webhookSection() {
  const webhooks: Record<string, WebhookOperation> = { inbound_call_lookup: lookupOperation() };
  const schemas: Record<string, JsonSchema> = {};
  for (const kind of WEBHOOK_EVENT_TYPES) {
    const { $defs = {}, $schema: _dialect, ...schema } = inComponents(z.toJSONSchema(eventBodySchema(kind)), kind);
    for (const [name, definition] of Object.entries($defs)) schemas[`${kind}${name}`] = definition;
    webhooks[kind] = {
      post: {
        operationId: kind,
        summary: kind,
        description: EVENT_DATA_SCHEMAS[kind].description ?? '',
        tags: ['Webhooks'],
        security: [],
        requestBody: { content: { 'application/json': { schema } } },
        responses: {
          '2XX': { description: 'The receiver has accepted the event.' },
          '410': {
            description:
              'The receiver is gone. The webhook of the agent stays off until its `webhook_url` is set again.',
          },
          default: {
            description:
              'The delivery failed and is retried after 5 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h. Then its status is `failed`.',
          },
        },
      },
    };
  }
  return { webhooks, schemas };
}

/** Moves the definitions of a schema into the components of the document, with the event kind as name prefix. */
function inComponents(schema: JsonSchema, kind: string): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"#/components/schemas/${kind}`));
}
