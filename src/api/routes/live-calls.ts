import { z } from 'zod';
import type { PostOutcome } from '../../nodes/node.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { Api, RouteContext } from '../api.ts';
import { ApiError, notFound } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { callNotInProgress } from '../call-not-here.ts';
import { envelopeOf, FAILURES, failureSchema, success } from '../envelope.ts';
import { sendEvents } from '../event-stream.ts';
import { contextBody, eventsHeaders, sayBody } from '../schemas/live-call.ts';
import { idParams } from '../schemas/primitives.ts';

/** Watchers of calls at once; each holds a connection and looks into the database when something is stored. */
const WATCHERS_MAX = 200;
const RETRY_AFTER_SECONDS = 5;

/** What acts on a call in progress, and watching it. */
export function liveCallRoutes(api: Api, context: RouteContext): void {
  sayOnCall(api, context);
  tellCall(api, context);
  watchCall(api, context);
}

function sayOnCall(api: Api, context: RouteContext): void {
  const { authenticate, callService } = context;
  api.route({
    method: 'POST',
    url: '/v1/calls/:id/say',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'sayOnCall',
      summary: 'Let the agent say something now',
      description:
        'Spoken as it stands, once the agent has the floor. With interrupt, what the agent is saying is cut for it, unless ' +
        'that is a message which may not be interrupted: then it waits for its end. 409 where the call is not in progress or has no agent; 503 where its node does not answer.',
      tags: ['Calls'],
      params: idParams,
      body: sayBody,
      response: { 200: envelopeOf(z.null()), ...FAILURES, 409: failureSchema },
    },
    handler: async (request) => {
      const { text, interrupt } = request.body;
      const call = await callInProgress(context, organizationOf(request), request.params.id);
      expectPosted(await callService.post(call, { type: 'call.say', text, interrupt }));
      return success(200, 'Said as soon as the agent has the floor', null);
    },
  });
}

function tellCall(api: Api, context: RouteContext): void {
  const { authenticate, callService } = context;
  api.route({
    method: 'POST',
    url: '/v1/calls/:id/context',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'tellCall',
      summary: 'Tell the agent something',
      description:
        'The model knows it from its next request on; nothing is spoken because of it. 409 where the call is not in progress or has no agent; 503 where its node does not answer.',
      tags: ['Calls'],
      params: idParams,
      body: contextBody,
      response: { 200: envelopeOf(z.null()), ...FAILURES, 409: failureSchema },
    },
    handler: async (request) => {
      const call = await callInProgress(context, organizationOf(request), request.params.id);
      const { content } = request.body;
      expectPosted(await callService.post(call, { type: 'call.context', content }));
      return success(200, 'The agent knows', null);
    },
  });
}

async function callInProgress({ repositories }: RouteContext, organizationId: string, id: string): Promise<CallRecord> {
  const call = await repositories.calls.findInOrganization(organizationId, id);
  if (call === null) throw notFound('Call');
  if (call.status !== 'in_progress') throw callNotInProgress();
  if (call.agentId === null) throw new ApiError('conflict', { message: 'The call has no agent' });
  return call;
}

/** What was in progress a moment ago can have ended since. */
function expectPosted(outcome: PostOutcome): void {
  if (outcome === 'not_in_progress') throw callNotInProgress();
  if (outcome === 'not_taken') {
    const message = 'The node that has the call does not answer';
    throw new ApiError('unavailable', { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}

function watchCall(api: Api, { authenticate, callWatchers, clock, repositories }: RouteContext): void {
  let watchers = 0;
  api.route({
    method: 'GET',
    url: '/v1/calls/:id/events',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'watchCall',
      summary: "Watch a call's events",
      description:
        'Server-sent events, from the first one of the call on, each with the body that a webhook has; `id` is its sequence. ' +
        'Comes back after `Last-Event-ID`. The stream ends once nothing more can come: the call is over, its recording whole, and its post-call questions are ' +
        'answered or given up; 204 where that is so already.',
      tags: ['Calls'],
      params: idParams,
      headers: eventsHeaders,
      response: {
        200: { description: 'The events', content: { 'text/event-stream': { schema: z.string() } } },
        204: z.null().describe('Nothing more will come, and all of its events are known.'),
        ...FAILURES,
      },
    },
    handler: async (request, reply) => {
      const organizationId = organizationOf(request);
      const call = await repositories.calls.findInOrganization(organizationId, request.params.id);
      if (call === null) throw notFound('Call');
      const after = request.headers['last-event-id'] ?? 0;
      const source = {
        after: (sequence: number, limit: number) => repositories.callEvents.after(call.id, sequence, limit),
        isOver: () => repositories.callEvents.isComplete(call.id, clock.wallMs()),
        onStored: (listener: () => void) => callWatchers.onStored(listener),
        clock,
      };
      if ((await source.isOver()) && (await source.after(after, 1)).length === 0) return reply.code(204).send(null);
      if (watchers >= WATCHERS_MAX) {
        const message = `${WATCHERS_MAX} watchers are as many as there can be`;
        throw new ApiError('unavailable', { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
      }
      watchers++;
      reply.hijack();
      const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
      reply.raw.writeHead(200, { ...headers, 'x-accel-buffering': 'no' });
      reply.raw.flushHeaders();
      try {
        await sendEvents(reply.raw, source, after);
      } catch (error) {
        request.log.warn({ err: error }, 'watching a call ended early');
      } finally {
        watchers--;
        reply.raw.end();
      }
    },
  });
}
