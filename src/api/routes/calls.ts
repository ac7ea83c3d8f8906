import { z } from 'zod';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { StagedCall } from '../../calls/call-service.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import { isFinal } from '../../storage/schema/call-status.ts';
import type { Api, RouteContext } from '../api.ts';
import { ApiError, invalidField, notFound } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { callOrder, taken } from '../call-order.ts';
import { envelopeOf, FAILURES, failureSchema, success } from '../envelope.ts';
import { createdCall, phoneCallBody, stageBody, stageQuery } from '../schemas/call.ts';
import { idParams } from '../schemas/primitives.ts';

/** How long `sync=true` waits for `staged`, ms (decisions, «408 body»). */
const SYNC_WAIT_MS = 10_000;

export function callRoutes(api: Api, context: RouteContext): void {
  stageCall(api, context);
  startPhoneCall(api, context);
  terminateCall(api, context);
}

function stageCall(api: Api, context: RouteContext): void {
  const { authenticate, callService, clock } = context;
  api.route({
    method: 'POST',
    url: '/v1/calls/stage',
    onRequest: authenticate('write'),
    config: { creates: true },
    schema: {
      operationId: 'stageCall',
      summary: 'Stage an inbound SIP call',
      description:
        'The INVITE must carry `X-Service-Call-Id: <call_id>` within 60 seconds of staging. Without sync the id is answered ' +
        'at once and the status becomes `staged` later; with it, 408 means that the call is still being prepared.',
      tags: ['Calls'],
      querystring: stageQuery,
      body: stageBody,
      response: { 201: envelopeOf(createdCall), ...FAILURES, 408: failureSchema, 502: failureSchema },
    },
    handler: async (request, reply) => {
      const order = {
        ...(await callOrder(context, organizationOf(request), request.body)),
        ...numbersOf(request.body),
        idempotent: request.idempotent,
      };
      const staged = await taken(callService.stage(order));
      if (request.query.sync) await untilStaged(staged, clock);
      return reply.code(201).send(success(201, 'Call staged', { call_id: staged.callId }));
    },
  });
}

function startPhoneCall(api: Api, context: RouteContext): void {
  const { authenticate, callService, repositories } = context;
  api.route({
    method: 'POST',
    url: '/v1/calls/phone',
    onRequest: authenticate('write'),
    config: { creates: true },
    schema: {
      operationId: 'startPhoneCall',
      summary: 'Start an outbound phone call',
      description:
        'from_number must be a number of the organization; the call goes out by its trunk. 429 also where the organization has as ' +
        'many calls at once, or within a second, as the operator allows.',
      tags: ['Calls'],
      body: phoneCallBody,
      response: { 201: envelopeOf(createdCall), ...FAILURES },
    },
    handler: async (request, reply) => {
      const { body } = request;
      const organizationId = organizationOf(request);
      const number = await repositories.phoneNumbers.findByNumber(body.from_number);
      if (number?.organizationId !== organizationId) {
        throw invalidField('from_number', 'expected a phone number of the organization');
      }
      const order = {
        ...(await callOrder(context, organizationId, body)),
        ...numbersOf(body),
        idempotent: request.idempotent,
        trunkId: number.trunkId,
        customHeaders: body.custom_headers ?? {},
      };
      const { callId } = await taken(callService.startPhoneCall(order));
      return reply.code(201).send(success(201, 'Call started', { call_id: callId }));
    },
  });
}

function terminateCall(api: Api, { authenticate, callService, repositories }: RouteContext): void {
  api.route({
    method: 'POST',
    url: '/v1/calls/:id/terminate',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'terminateCall',
      summary: 'Terminate a phone call',
      description: 'One that has ended stays as it is, and the answer is the same.',
      tags: ['Calls'],
      params: idParams,
      response: { 200: envelopeOf(z.null()), ...FAILURES },
    },
    handler: async (request) => {
      const call = await repositories.calls.findInOrganization(organizationOf(request), request.params.id);
      if (call === null) throw notFound('Call');
      if (call.type === 'web_call') {
        throw new ApiError('bad_request', { message: 'A web call cannot be terminated: close its media connection' });
      }
      if (!isFinal(call.status)) await taken(callService.terminate(call.id));
      return success(200, terminatedMessage(call), null);
    },
  });
}

function terminatedMessage({ status }: CallRecord): string {
  return isFinal(status) ? 'The call had ended already' : 'Call terminated';
}

function numbersOf({ from_number: fromNumber, to_number: toNumber }: z.output<typeof stageBody>) {
  return { fromNumber, toNumber };
}

async function untilStaged({ callId, ready }: StagedCall, clock: RouteContext['clock']): Promise<void> {
  const outcome = await withTimeout(ready, SYNC_WAIT_MS, () => null, clock);
  if (outcome === null) throw new ApiError('staging_timeout', { callId });
  if (outcome.type === 'failed') throw new ApiError('preparation_failed', { callId, message: outcome.message });
}
