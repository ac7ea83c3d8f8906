import { z } from 'zod';
import { callEventBody } from '../../storage/events/call-event-repository.ts';
import type { DeliveryRecord } from '../../storage/events/webhook-delivery-repository.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { isPermitted, organizationOf } from '../requests/authentication.ts';
import { LIST_MESSAGE, listFields } from '../schemas/pagination.ts';
import { idParams } from '../schemas/primitives.ts';
import {
  deliveryCursor,
  deliveryFilter,
  deliveryListQuery,
  deliveryPage,
  deliverySchema,
} from '../schemas/webhook-delivery.ts';

const TAGS = ['Webhook deliveries'];
const FOUND = 'Webhook delivery found';
const REDELIVERING = 'Redelivery started';
const OFF = 'The webhook of the agent is off: set its webhook_url';
const NOT_FOUND = failures({ 404: 'Webhook delivery not found' });

/** The log of webhook deliveries, and redelivery. */
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
      description:
        'Returns the events that were or will be sent to webhook receivers, newest first, with all delivery attempts. Pages by number ' +
        'cover, and count, the newest 10,000 events of the filter that the fewest events have; `use_cursor=true` leads to all of them. With ' +
        '`status` a page by cursor may then have fewer events than `limit`, or none, before the last one: continue until `next_cursor` is null.',
      tags: TAGS,
      querystring: deliveryListQuery,
      response: { 200: envelopeOf(z.array(deliverySchema), LIST_MESSAGE).extend(listFields), ...FAILURES },
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
      description: 'Returns one delivery with its body and all attempts.',
      tags: TAGS,
      params: idParams('the delivery'),
      response: { 200: envelopeOf(deliverySchema, FOUND), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const delivery = await repositories.webhookDeliveries.find(organizationOf(request), request.params.id);
      if (delivery === null) throw notFound('Webhook delivery');
      return success(200, FOUND, deliveryAnswer(delivery));
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
      summary: 'Redeliver a webhook event',
      description:
        'Sends the event again at once, with the same `id`. If that fails, it is retried after 10 min, 1 h, 6 h and 24 h. A ' +
        'pending delivery is sent at once, too. Returns 409 if the webhook of the agent is off, or if the content of the call was ' +
        'deleted. For a key without the scope `read`, `body` is null in the response.',
      tags: TAGS,
      params: idParams('the delivery'),
      response: { 200: envelopeOf(deliverySchema, REDELIVERING), ...FAILURES, ...NOT_FOUND, ...failures({ 409: OFF }) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const organizationId = organizationOf(request);
      const outcome = await repositories.webhookDeliveries.redeliver(organizationId, id, clock.wallMs());
      switch (outcome) {
        case 'not_found':
          throw notFound('Webhook delivery');
        case 'switched_off':
          throw new ApiError('conflict', { message: OFF });
        case 'removed':
          throw new ApiError('conflict', { message: 'The content of the call was deleted' });
        case 'pending': {
          // Read before the deliverer runs, so that the response shows the request and not its result.
          const delivery = await repositories.webhookDeliveries.find(organizationId, id);
          deliverer.wake();
          if (delivery === null) throw notFound('Webhook delivery');
          return success(200, REDELIVERING, {
            ...deliveryAnswer(delivery),
            ...(!isPermitted(request, 'read') && { body: null }),
          });
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
