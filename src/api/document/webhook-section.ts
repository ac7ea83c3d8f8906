import { z } from 'zod';
import { EVENT_DATA_SCHEMAS, eventBodySchema } from '../../background/webhooks/event-kinds.ts';
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../storage/events/webhook-event.ts';
import { exampleEvent } from './example-events.ts';
import { lookupOperation } from './lookup-operation.ts';
import { capitalized, schemaReference } from './openapi-document.ts';

/** Named schemas of the document: one per event kind, and their union. */
z.union(
  WEBHOOK_EVENT_TYPES.map((kind) =>
    eventBodySchema(kind).meta({ id: eventSchemaName(kind), description: EVENT_DATA_SCHEMAS[kind].description }),
  ),
).meta({
  id: 'CallEvent',
  description:
    'An event of a call: the body of a webhook request, and `data` of an event of `GET /v1/calls/{id}/events`.',
});

/** Responses of a receiver to every event. */
export const RECEIVER_RESPONSES = {
  EventAccepted: { description: 'The receiver has accepted the event.' },
  ReceiverGone: {
    description: 'The receiver is gone. The webhook of the agent stays off until its `webhook_url` is set again.',
  },
  DeliveryFailed: {
    description:
      'The delivery failed and is retried after 5 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h. Then its status is `failed`.',
  },
} as const;

/** `CallStartedEvent` for `event_call_started`. */
function eventSchemaName(kind: WebhookEventType): string {
  return `${kind
    .replace(/^event_/, '')
    .split('_')
    .map(capitalized)
    .join('')}Event`;
}

/** The webhooks of the OpenAPI document: the lookup before the answer, and one operation per event kind. */
export function webhookSection(): Record<string, object> {
  const events = Object.fromEntries(
    WEBHOOK_EVENT_TYPES.map((kind) => [
      kind,
      {
        post: {
          operationId: kind,
          summary: kind,
          description: EVENT_DATA_SCHEMAS[kind].description ?? '',
          tags: ['Webhooks'],
          security: [],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: schemaReference(eventSchemaName(kind)),
                examples: { event: { value: exampleEvent(kind) } },
              },
            },
          },
          responses: {
            '2XX': { $ref: '#/components/responses/EventAccepted' },
            '410': { $ref: '#/components/responses/ReceiverGone' },
            default: { $ref: '#/components/responses/DeliveryFailed' },
          },
        },
      },
    ]),
  );
  return { inbound_call_lookup: lookupOperation(), ...events };
}
