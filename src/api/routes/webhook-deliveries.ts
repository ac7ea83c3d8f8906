import { z } from 'zod';
import { callEventBody } from '../../storage/events/call-event-repository.ts';
import type { DeliveryRecord } from '../../storage/events/webhook-delivery-repository.ts';
import type { Api, RouteContext } from '../api.ts';
import { ApiError, notFound } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { envelopeOf, FAILURES, failureSchema, success } from '../envelope.ts';
import { listFields } from '../schemas/pagination.ts';
import { idParams } from '../schemas/primitives.ts';
import {
  deliveryCursor,
  deliveryFilter,
  deliveryListQuery,
  deliveryPage,
  deliverySchema,
} from '../schemas/webhook-delivery.ts';

const TAGS = ['Webhook deliveries'];

/** What was sent to agents' receivers, what they answered, and sending it again. */
export function webhookDeliveryRoutes(api: Api, context: RouteContext): void {
  listDeliveries(api, context);
  getDelivery(api, context);
  redeliver(api, context);
}

function listDeliveries(api: Api, { authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/webhook-deliveries',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listDeliveries',
      summary: 'List webhook deliveries',
      description: 'Every event that goes to a receiver, newest first, in pages; with use_cursor, by cursor.',
      tags: TAGS,
      querystring: deliveryListQuery,
      response: { 200: envelopeOf(z.array(deliverySchema)).extend(listFields), ...FAILURES },
    },
    handler: async (request) => {
      const page = deliveryPage(request.query);
      const found = await repositories.webhookDeliveries.list(
        organizationOf(request),
        deliveryFilter(request.query),
        page,
      );
      const data = found.items.map(deliveryAnswer);
      const body = { message: `${data.length} found`, data, error: null, status: 200 };
      if (page.mode === 'cursor') {
        return { ...body, next_cursor: found.next === null ? null : deliveryCursor(found.next) };
      }
      const total = found.total ?? 0;
      return {
        ...body,
        current_page: page.page,
        total_pages: Math.ceil(total / page.limit),
        total_items: total,
      };
    },
  });
}

function getDelivery(api: Api, { authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/webhook-deliveries/:id',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getDelivery',
      summary: 'Get a webhook delivery',
      tags: TAGS,
      params: idParams,
      response: { 200: envelopeOf(deliverySchema), ...FAILURES },
    },
    handler: async (request) => {
      const delivery = await repositories.webhookDeliveries.find(organizationOf(request), request.params.id);
      if (delivery === null) throw notFound('Webhook delivery');
      return success(200, 'Webhook delivery found', deliveryAnswer(delivery));
    },
  });
}

function redeliver(api: Api, { authenticate, clock, deliverer, repositories }: RouteContext): void {
  api.route({
    method: 'POST',
    url: '/v1/webhook-deliveries/:id/redeliver',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'redeliver',
      summary: 'Send an event again',
      description:
        'At once and with the id that it had; where that fails, again after 10 min, 1 h, 6 h and 24 h. One that waits for a ' +
        "retry waits no longer. 409 where the agent's webhook is switched off, or what was said on the call was deleted.",
      tags: TAGS,
      params: idParams,
      response: { 200: envelopeOf(deliverySchema), ...FAILURES, 409: failureSchema },
    },
    handler: async (request) => {
      const { id } = request.params;
      const organizationId = organizationOf(request);
      const outcome = await repositories.webhookDeliveries.redeliver(organizationId, id, clock.wallMs());
      switch (outcome) {
        case 'not_found':
          throw notFound('Webhook delivery');
        case 'switched_off':
          throw new ApiError('conflict', { message: "The agent's webhook is switched off: set its webhook_url" });
        case 'removed':
          throw new ApiError('conflict', { message: 'What was said on the call is deleted' });
        case 'pending': {
          // Read before the deliverer looks: what is answered is what was ordered, not what came of it meanwhile.
          const delivery = await repositories.webhookDeliveries.find(organizationId, id);
          deliverer.wake();
          if (delivery === null) throw notFound('Webhook delivery');
          return success(200, 'Sent again now', deliveryAnswer(delivery));
        }
      }
    },
  });
}

function deliveryAnswer(delivery: DeliveryRecord): z.output<typeof deliverySchema> {
  const { event, url, status, nextAttemptMs, removed, attempts } = delivery;
  return {
    id: event.id,
    type: event.type,
    call_id: event.callId,
    agent_id: event.agentId,
    sequence: event.sequence,
    status,
    url,
    created_at: new Date(event.createdMs).toISOString(),
    next_attempt_at: nextAttemptMs === null ? null : new Date(nextAttemptMs).toISOString(),
    body: removed ? null : JSON.parse(callEventBody(event)),
    attempts: attempts.map(({ attempt, attemptedMs, durationMs, httpStatus, outcome }) => ({
      attempt,
      attempted_at: new Date(attemptedMs).toISOString(),
      duration_ms: durationMs,
      http_status: httpStatus,
      outcome,
    })),
  };
}
