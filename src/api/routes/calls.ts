import { z } from 'zod';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { StagedCall } from '../../calls/api-requests/call-service.ts';
import { storedTraceparent } from '../../observability/opentelemetry/trace-context.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import { isFinal } from '../../storage/schema/call-status.ts';
import { acceptedCall, callRequest } from '../calls/call-request.ts';
import { NODE_UNAVAILABLE, RETRY_AFTER_SECONDS } from '../calls/call-trace.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, invalidField, notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failureSchema, failures, success } from '../errors/envelope.ts';
import { keyConfirmed, organizationOf } from '../requests/authentication.ts';
import { createdCall, phoneCallBody, stageBody, stageQuery } from '../schemas/call.ts';
import { idParams } from '../schemas/primitives.ts';

/** Time that `sync=true` waits for `staged`, ms (decisions, «408 body»). */
const SYNC_WAIT_MS = 10_000;

const STAGED = 'Call staged';
const STARTED = 'Call started';
const TERMINATED = 'Call terminated';
const WEB_CALL = 'A web call cannot be terminated: close its media connection';

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
    onRequest: authenticate('write', 'besideReads'),
    config: { creates: true },
    schema: {
      operationId: 'stageCall',
      summary: 'Stage an inbound SIP call',
      description:
        'Prepares an agent for an inbound call. Send the INVITE with the header `X-Service-Call-Id: <call_id>` within 60 seconds ' +
        'after the status is `staged`; otherwise the call ends as `no_answer`. By default the response is immediate: poll ' +
        '`GET /v1/calls/{id}` until the status is `staged`. With `sync=true` the response waits for it. After a 408 the call is ' +
        'still being prepared. A 502 means that the preparation failed.',
      tags: ['Calls'],
      querystring: stageQuery,
      body: stageBody,
      response: { 201: envelopeOf(createdCall, STAGED), ...FAILURES, 408: failureSchema, 502: failureSchema },
    },
    handler: async (request, reply) => {
      const serviceRequest = {
        ...(await callRequest(context, organizationOf(request), request.body)),
        ...numbersOf(request.body),
        traceparent: storedTraceparent(request.headers.traceparent),
        idempotent: request.idempotent,
      };
      await keyConfirmed(request);
      const staged = await acceptedCall(callService.stage(serviceRequest));
      if (request.query.sync) await untilStaged(staged, clock);
      return reply.code(201).send(success(201, STAGED, { call_id: staged.callId }));
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
        'Calls `to_number` through the SIP trunk of `from_number`. The response is immediate: poll `GET /v1/calls/{id}` or use ' +
        'webhooks to follow the call. 429 also means that the organization has reached its limit of simultaneous calls ' +
        '(`ORGANIZATION_MAX_CALLS`) or of new calls per second (`ORGANIZATION_MAX_CALLS_PER_SECOND`). 503 means that the node or ' +
        'the trunk has no capacity.',
      tags: ['Calls'],
      body: phoneCallBody,
      response: { 201: envelopeOf(createdCall, STARTED), ...FAILURES },
    },
    handler: async (request, reply) => {
      const { body } = request;
      const organizationId = organizationOf(request);
      const number = await repositories.phoneNumbers.findByNumber(body.from_number);
      if (number?.organizationId !== organizationId) {
        throw invalidField('from_number', 'expected a phone number of your organization');
      }
      const serviceRequest = {
        ...(await callRequest(context, organizationId, body)),
        ...numbersOf(body),
        traceparent: storedTraceparent(request.headers.traceparent),
        idempotent: request.idempotent,
        trunkId: number.trunkId,
        customHeaders: body.custom_headers ?? {},
      };
      const { callId } = await acceptedCall(callService.startPhoneCall(serviceRequest));
      return reply.code(201).send(success(201, STARTED, { call_id: callId }));
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
      description:
        'Ends the call. A call in progress becomes `completed`, a call before the answer `canceled`. A call that has already ended is not changed. 503: its node did not end it within 10 seconds, so the call may go on. Web calls return 400: close their media connection instead.',
      tags: ['Calls'],
      params: idParams('the call'),
      response: {
        200: envelopeOf(z.null(), TERMINATED),
        ...FAILURES,
        ...failures({ 400: WEB_CALL, 404: 'Call not found', 503: NODE_UNAVAILABLE }),
      },
    },
    handler: async (request) => {
      const call = await repositories.calls.findInOrganization(organizationOf(request), request.params.id);
      if (call === null) throw notFound('Call');
      if (call.type === 'web_call') {
        throw new ApiError('bad_request', { message: WEB_CALL });
      }
      if (!isFinal(call.status) && !(await acceptedCall(callService.terminate(call.id))))
        throw new ApiError('unavailable', { message: NODE_UNAVAILABLE, retryAfterSeconds: RETRY_AFTER_SECONDS });
      return success(200, terminatedMessage(call), null);
    },
  });
}

function terminatedMessage({ status }: CallRecord): string {
  return isFinal(status) ? 'The call has already ended' : TERMINATED;
}

function numbersOf({ from_number: fromNumber, to_number: toNumber }: z.output<typeof stageBody>) {
  return { fromNumber, toNumber };
}

async function untilStaged({ callId, ready }: StagedCall, clock: RouteContext['clock']): Promise<void> {
  const outcome = await withTimeout(ready, SYNC_WAIT_MS, () => null, clock);
  if (outcome === null) throw new ApiError('staging_timeout', { callId });
  if (outcome.type === 'failed') throw new ApiError('preparation_failed', { callId, message: outcome.message });
}
