import { z } from 'zod';
import { eventTypeSchema } from '../../background/webhooks/event-values.ts';
import {
  DELIVERY_STATUSES,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryPlace,
} from '../../storage/events/delivery-list.ts';
import { pageQuery } from './pagination.ts';
import { createdAt, givenId, jsonObject, timestamp } from './primitives.ts';

const CURSOR = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)_([0-9a-f-]{36})_(\d{1,9})$/;

const cursorSchema = z.string().transform((text, context): DeliveryPlace => {
  const [, instant, callId, sequence] = CURSOR.exec(text) ?? [];
  const createdMs = Date.parse(instant ?? '');
  if (callId !== undefined && !Number.isNaN(createdMs)) return { createdMs, callId, sequence: Number(sequence) };
  context.addIssue({ code: 'custom', message: 'expected the next_cursor of a previous response' });
  return z.NEVER;
});

const deliveryStatus = z
  .enum(DELIVERY_STATUSES)
  .meta({ id: 'DeliveryStatus', description: 'Status of a webhook delivery.' });

export const deliveryListQuery = pageQuery.extend({
  cursor: cursorSchema.optional().describe('`next_cursor` of the previous response. Ignored with `use_cursor=false`.'),
  call_id: givenId.optional().describe('Only deliveries of this call.'),
  agent_id: givenId.optional().describe('Only deliveries of this agent.'),
  status: z.enum(deliveryStatus.options).optional().describe('Only deliveries in this status.'),
});

const EXAMPLE_DELIVERY = {
  id: '70efdf2e-c9b0-4607-9795-c442636b55fb',
  type: 'event_call_started',
  call_id: '8f14e45f-ceea-467f-9d1c-2b0a6c1f3a55',
  agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11',
  sequence: 3,
  status: 'delivered',
  url: 'https://receiver.example.com/hook',
  created_at: '2026-03-02T09:15:01.240Z',
  next_attempt_at: null,
  body: { id: '70efdf2e-c9b0-4607-9795-c442636b55fb', type: 'event_call_started' },
  attempts: [{ attempt: 1, attempted_at: '2026-03-02T09:15:01.260Z', duration_ms: 41, http_status: 204, outcome: '' }],
};

const deliveryAttempt = z
  .object({
    attempt: z.int().min(1).describe('Number of the attempt, from 1.'),
    attempted_at: timestamp.describe('Time of the attempt, ISO 8601.'),
    duration_ms: z.int().min(0).describe('Time until the response or the failure, ms.'),
    http_status: z.int().min(100).max(999).nullable().describe('HTTP status of the response. null without a response.'),
    outcome: z.string().describe('First 2,000 characters of the response, or the cause of the failure.'),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One try to deliver a webhook event.' });

export const deliverySchema = z
  .object({
    id: z.uuid().describe('Identifier of the event. The header `webhook-id` of every attempt.'),
    type: eventTypeSchema.describe('Kind of event.'),
    call_id: z.uuid().describe('Call of the event.'),
    agent_id: z.uuid().describe('Agent whose receiver gets the event.'),
    sequence: z
      .int()
      .min(1)
      .describe('Number of the event within the call, from 1. Types that the agent does not subscribe to count too.'),
    status: deliveryStatus.describe(
      'pending: the next attempt is due at `next_attempt_at`. delivered: the receiver accepted the event. failed: all attempts failed.',
    ),
    url: z
      .string()
      .describe(
        '`webhook_url` when the event was stored. Each attempt uses the `webhook_url` that is set at that time.',
      ),
    created_at: createdAt,
    next_attempt_at: timestamp
      .nullable()
      .describe('Time of the next attempt, ISO 8601. null unless `status` is `pending`.'),
    body: jsonObject.nullable().describe('Body of the request. null after the content of the call was deleted.'),
    attempts: z.array(deliveryAttempt).describe('Delivery attempts, oldest first.'),
  })
  .meta({ id: 'WebhookDelivery', description: 'A webhook event and its delivery.', examples: [EXAMPLE_DELIVERY] });

export function deliveryFilter(query: z.output<typeof deliveryListQuery>): DeliveryFilter {
  return {
    ...(query.call_id !== undefined && { callId: query.call_id }),
    ...(query.agent_id !== undefined && { agentId: query.agent_id }),
    ...(query.status !== undefined && { status: query.status }),
  };
}

export function deliveryPage(query: z.output<typeof deliveryListQuery>): DeliveryPage {
  const { page, limit, use_cursor, cursor } = query;
  return use_cursor ? { mode: 'cursor', before: cursor ?? null, limit } : { mode: 'page', page, limit };
}

/** The inverse of `cursorSchema`. */
export function deliveryCursor({ createdMs, callId, sequence }: DeliveryPlace): string {
  return `${new Date(createdMs).toISOString()}_${callId}_${sequence}`;
}
