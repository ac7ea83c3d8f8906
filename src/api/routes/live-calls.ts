import { z } from 'zod';
import { normalisedDestination } from '../../../engine/agent/destination-syntax.ts';
import type { PostOutcome } from '../../cluster/node.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import { callNotInProgress } from '../calls/call-not-found.ts';
import { NODE_UNAVAILABLE, RETRY_AFTER_SECONDS } from '../calls/call-trace.ts';
import { sendEvents } from '../calls/event-stream.ts';
import { answerWithEvents } from '../calls/event-stream-answer.ts';
import { EventStreamSlots, TOO_MANY_STREAMS } from '../calls/event-stream-slots.ts';
import { periodicKeyCheck } from '../calls/periodic-key-check.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, invalidField, notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { keyOf, organizationOf } from '../requests/authentication.ts';
import { contextBody, eventsHeaders, sayBody, transferBody } from '../schemas/live-call.ts';
import { idParams } from '../schemas/primitives.ts';
import { runningCallRoutes } from './running-calls.ts';

const TAGS = ['Live calls'];
const QUEUED = 'Speech queued';
const TRANSFERRING = 'Transfer requested';
const WEB_CALL = 'A web call cannot be transferred';
const ADDED = 'Information added';
const PAUSED = 'Recording paused';
const RESUMED = 'Recording resumed';
const POST_FAILURES = failures({ 404: 'Call not found', 409: callNotInProgress().message, 503: NODE_UNAVAILABLE });

/** Control and watch a call in progress. */
export function liveCallRoutes(api: Api, context: RouteContext): void {
  sayOnCall(api, context);
  transferCall(api, context);
  addContext(api, context);
  pauseRecording(api, context);
  resumeRecording(api, context);
  const streams = new EventStreamSlots();
  watchCall(api, context, streams);
  runningCallRoutes(api, context, streams);
}

function sayOnCall(api: Api, context: RouteContext): void {
  const { authenticate, callService } = context;
  api.route({
    method: 'POST',
    url: '/v1/calls/:id/say',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'sayOnCall',
      summary: 'Make the agent say a text',
      description:
        'The agent speaks the text literally as soon as neither party is speaking. With `interrupt` the agent stops its current ' +
        'speech first, unless that speech cannot be interrupted. A text that the user interrupts before its first word is heard ' +
        'is spoken afterwards. Returns 409 if the call is not in progress or has no agent, and 503 if the node of the call does ' +
        'not respond.',
      tags: TAGS,
      params: idParams('the call'),
      body: sayBody,
      response: { 200: envelopeOf(z.null(), QUEUED), ...FAILURES, ...POST_FAILURES },
    },
    handler: async (request) => {
      const { text, interrupt, interruptible } = request.body;
      const call = await callInProgress(context, organizationOf(request), request.params.id);
      expectPosted(
        await callService.post(call, {
          type: 'call.say',
          text,
          interrupt,
          ...(interruptible ? {} : { interruptible }),
        }),
      );
      return success(200, QUEUED, null);
    },
  });
}

function addContext(api: Api, context: RouteContext): void {
  const { authenticate, callService } = context;
  api.route({
    method: 'POST',
    url: '/v1/calls/:id/context',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'addContext',
      summary: 'Give the agent information',
      description:
        'Adds information to the conversation. The model sees it from its next request on; the agent does not speak because of it. ' +
        'Returns 409 if the call is not in progress or has no agent, and 503 if the node of the call does not respond.',
      tags: TAGS,
      params: idParams('the call'),
      body: contextBody,
      response: { 200: envelopeOf(z.null(), ADDED), ...FAILURES, ...POST_FAILURES },
    },
    handler: async (request) => {
      const call = await callInProgress(context, organizationOf(request), request.params.id);
      const { content } = request.body;
      expectPosted(await callService.post(call, { type: 'call.context', content }));
      return success(200, ADDED, null);
    },
  });
}

function transferCall(api: Api, context: RouteContext): void {
  const { authenticate, callService } = context;
  api.route({
    method: 'POST',
    url: '/v1/calls/:id/transfer',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'transferCall',
      summary: 'Transfer a call',
      description:
        'The agent stops its current speech, unless that cannot be interrupted, says the announcement, and transfers the user as soon as ' +
        'neither party is speaking. The events of the transfer report its outcome. If it fails, also because the destination may ' +
        'not be dialled, the user stays with the agent, which learns the reason and speaks on. Returns 400 for a web call, 409 if the ' +
        'call is not in progress or has no agent, and 503 if the node of the call does not respond.',
      tags: TAGS,
      params: idParams('the call'),
      body: transferBody,
      response: {
        200: envelopeOf(z.null(), TRANSFERRING),
        ...FAILURES,
        ...POST_FAILURES,
        ...failures({ 400: WEB_CALL }),
      },
    },
    handler: async (request) => {
      const { announcement, destination: given, mode, ring_timeout: ringSeconds } = request.body;
      const destination = normalisedDestination(given);
      if (destination === null) throw invalidField('destination', 'expected an E.164 number, or a tel: or sip: URI');
      const call = await callInProgress(context, organizationOf(request), request.params.id);
      if (call.type === 'web_call') throw new ApiError('bad_request', { message: WEB_CALL });
      const transfer = { destination, mode, headers: {}, ringTimeoutMs: ringSeconds * 1_000 };
      expectPosted(
        await callService.post(call, {
          type: 'call.transfer',
          request: transfer,
          ...(announcement !== undefined && { announcement }),
        }),
      );
      return success(200, TRANSFERRING, null);
    },
  });
}

function pauseRecording(api: Api, context: RouteContext): void {
  const { authenticate, callService } = context;
  api.route({
    method: 'POST',
    url: '/v1/calls/:id/recording/pause',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'pauseRecording',
      summary: 'Pause the recording of a call',
      description:
        'From now on nothing of the call is kept: the recording is silent, and transcript, variables, webhooks, event streams, logs and ' +
        'tape hold `[not recorded]` in the place of what is said and typed. The conversation goes on as usual. Pause before you ask for ' +
        'a card number, and resume after it. An entry of the role `recording_pause` marks the pause in the transcript. A recording that is ' +
        'paused already stays paused. Returns 409 if the call is not in progress or has no agent, and 503 if the node of the call does ' +
        'not respond. A call that was transferred by a bridge can be paused, too.',
      tags: TAGS,
      params: idParams('the call'),
      response: { 200: envelopeOf(z.null(), PAUSED), ...FAILURES, ...POST_FAILURES },
    },
    handler: async (request) => {
      const call = await callWithEngine(context, organizationOf(request), request.params.id);
      expectPosted(await callService.post(call, { type: 'call.pause_recording' }));
      return success(200, PAUSED, null);
    },
  });
}

function resumeRecording(api: Api, context: RouteContext): void {
  const { authenticate, callService } = context;
  api.route({
    method: 'POST',
    url: '/v1/calls/:id/recording/resume',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'resumeRecording',
      summary: 'Resume the recording of a call',
      description:
        'Ends the pause that `POST /v1/calls/{id}/recording/pause` or the tool `pause_recording` began. A state of the agent with ' +
        '`pause_recording` pauses on until the call leaves it. Without a pause nothing happens. Returns 409 if the call is not in progress ' +
        'or has no agent, and 503 if the node of the call does not respond.',
      tags: TAGS,
      params: idParams('the call'),
      response: { 200: envelopeOf(z.null(), RESUMED), ...FAILURES, ...POST_FAILURES },
    },
    handler: async (request) => {
      const call = await callWithEngine(context, organizationOf(request), request.params.id);
      expectPosted(await callService.post(call, { type: 'call.resume_recording' }));
      return success(200, RESUMED, null);
    },
  });
}

/** A call that talks to its agent. */
async function callInProgress(context: RouteContext, organizationId: string, id: string): Promise<CallRecord> {
  const call = await callWithEngine(context, organizationId, id);
  if (call.bridgedDialog !== null)
    throw new ApiError('conflict', { message: 'The call has no agent: it was transferred' });
  return call;
}

/** The engine runs on after a bridged transfer. */
async function callWithEngine({ repositories }: RouteContext, organizationId: string, id: string): Promise<CallRecord> {
  const call = await repositories.calls.findInOrganization(organizationId, id);
  if (call === null) throw notFound('Call');
  if (call.status !== 'in_progress') throw callNotInProgress();
  if (call.agentVersion === 0)
    throw new ApiError('conflict', { message: 'The call has no agent: it was redirected to another number' });
  return call;
}

/** The call may have ended since the check. */
function expectPosted(outcome: PostOutcome): void {
  if (outcome === 'not_in_progress') throw callNotInProgress();
  if (outcome === 'not_taken') {
    throw new ApiError('unavailable', { message: NODE_UNAVAILABLE, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}

function watchCall(api: Api, context: RouteContext, streams: EventStreamSlots): void {
  const { authenticate, clock, eventWatchers, repositories } = context;
  api.route({
    method: 'GET',
    url: '/v1/calls/:id/events',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'watchCall',
      summary: 'Watch the events of a call',
      description:
        'Streams all events of the call as server-sent events: `id` is the sequence, `event` the kind and `data` the body of the ' +
        'webhook. The stream starts at the first event, or after `Last-Event-ID`. It ends after the last possible event: the call ' +
        'has ended, the recording is complete and the post-call questions are finished. It is 204 if no event is left to send.',
      tags: TAGS,
      params: idParams('the call'),
      headers: eventsHeaders,
      response: {
        200: { description: 'The event stream', content: { 'text/event-stream': { schema: z.string() } } },
        204: z.null().describe('No further events: the client has received all of them.'),
        ...FAILURES,
        ...failures({ 404: 'Call not found', 429: TOO_MANY_STREAMS }),
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
        isAllowed: periodicKeyCheck(() => repositories.organizations.isActive(keyOf(request).id), clock),
        onStored: (listener: () => void) => eventWatchers.onStored(call.id, listener),
        clock,
      };
      if ((await source.isOver()) && (await source.after(after, 1)).length === 0) return reply.code(204).send(null);
      await answerWithEvents(request, reply, streams.take(keyOf(request)), (response) =>
        sendEvents(response, source, after),
      );
    },
  });
}
