import { z } from 'zod';
import type { RunningCallFilter } from '../../storage/calls/running-call.ts';
import { answerWithEvents } from '../calls/event-stream-answer.ts';
import { type EventStreamSlots, TOO_MANY_STREAMS } from '../calls/event-stream-slots.ts';
import { periodicKeyCheck } from '../calls/periodic-key-check.ts';
import { RUNNING_CALLS_MAX, RunningCalls } from '../calls/running-calls.ts';
import { sendRunningCalls } from '../calls/running-calls-stream.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { keyOf, organizationOf } from '../requests/authentication.ts';
import { runningCallSchema, runningCallsQuery } from '../schemas/running-call.ts';

const TAGS = ['Live calls'];
const FOUND = 'Running calls found';

/** The running calls of an organization, once or as they change. */
export function runningCallRoutes(api: Api, context: RouteContext, streams: EventStreamSlots): void {
  const { activities, clock, eventWatchers, repositories } = context;
  const running = new RunningCalls({ callLists: repositories.callLists, activities, clock, eventWatchers });
  listRunningCalls(api, context, running);
  watchRunningCalls(api, context, running, streams);
}

function listRunningCalls(api: Api, { authenticate }: RouteContext, running: RunningCalls): void {
  api.route({
    method: 'GET',
    url: '/v1/calls/running',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listRunningCalls',
      summary: 'List running calls',
      description: `Returns the newest ${RUNNING_CALLS_MAX} calls of your organization that have not ended, with what happens in them now. It may be two seconds old.`,
      tags: TAGS,
      querystring: runningCallsQuery,
      response: { 200: envelopeOf(z.array(runningCallSchema), FOUND), ...FAILURES },
    },
    handler: async (request) => {
      const { calls } = await running.of(organizationOf(request), filterOf(request.query));
      const data = calls.map(({ answer }) => answer);
      return success(200, FOUND, data);
    },
  });
}

function watchRunningCalls(
  api: Api,
  { authenticate, clock, repositories }: RouteContext,
  running: RunningCalls,
  streams: EventStreamSlots,
): void {
  api.route({
    method: 'GET',
    url: '/v1/calls/running/events',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'watchRunningCalls',
      summary: 'Watch the running calls',
      description:
        `Streams the newest ${RUNNING_CALLS_MAX} running calls of your organization as server-sent events. The first event \`calls\` has all of ` +
        'them: `{"calls": [RunningCall, …], "truncated": false}`. `truncated` is true while older calls run, too. Then at most one event ' +
        '`changes` a second has the calls that are new or have changed, and the ids of those that have ended: `{"calls": [RunningCall, …], ' +
        '"ended": [id, …], "left_out": [id, …], "truncated": false}`. `left_out`: newer calls have taken their places. They may run on, and ' +
        'come back as places become free. A new connection starts with `calls` again.',
      tags: TAGS,
      querystring: runningCallsQuery,
      response: {
        200: { description: 'The event stream', content: { 'text/event-stream': { schema: z.string() } } },
        ...FAILURES,
        ...failures({ 429: TOO_MANY_STREAMS }),
      },
    },
    handler: async (request, reply) => {
      const organizationId = organizationOf(request);
      const filter = filterOf(request.query);
      const key = keyOf(request);
      await answerWithEvents(request, reply, streams.take(key), (response) =>
        sendRunningCalls(response, {
          read: () => running.of(organizationId, filter),
          isAllowed: periodicKeyCheck(() => repositories.organizations.isActive(key.id), clock),
          clock,
        }),
      );
    },
  });
}

function filterOf({ agent_id: agentId, type }: z.output<typeof runningCallsQuery>): RunningCallFilter {
  return { ...(agentId !== undefined && { agentId }), ...(type !== undefined && { type }) };
}
