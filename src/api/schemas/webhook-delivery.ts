import { z } from 'zod';
import {
  DELIVERY_STATUSES,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryPlace,
} from '../../storage/events/webhook-delivery-repository.ts';
import { WEBHOOK_EVENT_TYPES } from '../../storage/events/webhook-event.ts';
import { pageQuery } from './pagination.ts';
import { answeredObject, givenId, timestamp } from './primitives.ts';

const CURSOR = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)_([0-9a-f-]{36})_(\d{1,9})$/;

const cursorSchema = z.string().transform((text, context): DeliveryPlace => {
  const [, instant, callId, sequence] = CURSOR.exec(text) ?? [];
  const createdMs = Date.parse(instant ?? '');
  if (callId !== undefined && !Number.isNaN(createdMs)) return { createdMs, callId, sequence: Number(sequence) };
  context.addIssue({ code: 'custom', message: 'expected the next_cursor of an answer' });
  return z.NEVER;
});

export const deliveryListQuery = pageQuery.extend({
  cursor: cursorSchema.optional().describe('`next_cursor` of the page before; where use_cursor is true.'),
  call_id: givenId.optional().describe('Of this call only.'),
  agent_id: givenId.optional().describe('Of this agent only.'),
  status: z.enum(DELIVERY_STATUSES).optional().describe('In this status only.'),
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

export const deliverySchema = z
  .object({
    id: z.uuid().describe("The event's own: the header webhook-id of every attempt."),
    type: z.enum(WEBHOOK_EVENT_TYPES).describe('The kind of event.'),
    call_id: z.uuid().describe('On which it happened.'),
    agent_id: z.uuid().describe('Whose receiver gets it.'),
    sequence: z.int().min(1).describe('Counts up within the call.'),
    status: z.enum(DELIVERY_STATUSES).describe('pending: an attempt is due at next_attempt_at. failed: given up.'),
    url: z.string().describe('The receiver when the event was stored; each attempt goes to the one that is set then.'),
    created_at: timestamp,
    next_attempt_at: timestamp.nullable().describe('ISO 8601; null unless pending.'),
    body: answeredObject.nullable().describe('As it is sent; null once what was said on the call was deleted.'),
    attempts: z
      .array(
        z.object({
          attempt: z.int().min(1).describe('Counts up.'),
          attempted_at: timestamp,
          duration_ms: z.int().min(0).describe('Until the answer came, or was given up, ms.'),
          http_status: z.int().min(100).max(999).nullable().describe('Null where no answer came.'),
          outcome: z.string().describe('What the receiver answered, its first 2,000 characters, or what went wrong.'),
        }),
      )
      .describe('Oldest first.'),
  })
  .meta({ id: 'WebhookDelivery', examples: [EXAMPLE_DELIVERY] });

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

/** The pair of `cursorSchema`. */
export function deliveryCursor({ createdMs, callId, sequence }: DeliveryPlace): string {
  return `${new Date(createdMs).toISOString()}_${callId}_${sequence}`;
}
