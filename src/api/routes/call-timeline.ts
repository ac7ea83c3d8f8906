import type { Api, RouteContext } from '../context/route-context.ts';
import { notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import { idParams } from '../schemas/primitives.ts';
import { timelineSchema } from '../schemas/timeline.ts';
import { readStoredTimeline } from '../timeline/stored-timeline.ts';
import { timelineAnswer } from '../timeline/timeline-answer.ts';

const FOUND = 'Timeline found';

/** The timeline of a call: what happened when, and why it was silent. */
export function callTimelineRoutes(api: Api, { authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/calls/:id/timeline',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getTimeline',
      summary: 'Get the timeline of a call',
      description:
        'Returns what happened in the call on one time axis, and the cause of each silence of more than a second. Works for ended ' +
        'calls and, up to the latest stored entry, for a call in progress.',
      tags: ['Call diagnostics'],
      params: idParams('the call'),
      response: { 200: envelopeOf(timelineSchema, FOUND), ...FAILURES, ...failures({ 404: 'Call not found' }) },
    },
    handler: async (request) => {
      const call = await repositories.calls.findInOrganization(organizationOf(request), request.params.id);
      if (call === null) throw notFound('Call');
      return success(200, FOUND, timelineAnswer(await readStoredTimeline(repositories, call)));
    },
  });
}
