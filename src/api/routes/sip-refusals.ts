import { z } from 'zod';
import { REFUSAL_CAUSES, type RefusalCause } from '../../telephony/refusals/refusal-cause.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { envelopeOf, FAILURES, success } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import { timestamp } from '../schemas/primitives.ts';

const CAUSES = Object.keys(REFUSAL_CAUSES).filter((name): name is RefusalCause => name in REFUSAL_CAUSES);
const FOUND = 'Refused INVITEs found';

const refusedInvite = z
  .object({
    time: timestamp,
    cause: z
      .enum(CAUSES)
      .describe(`Why it was refused. ${CAUSES.map((cause) => `\`${cause}\`: ${REFUSAL_CAUSES[cause]}.`).join(' ')}`),
    detail: z.string().nullable().describe('More about the cause.'),
    status: z.int().min(300).max(699).describe('Status of the SIP response.'),
    source: z.string().describe('IP address of the sender.'),
    from_number: z.string().nullable().describe('User part of From. Phone numbers are masked: `+33•••••••89`.'),
    to_number: z.string().nullable().describe('Dialled user part of the Request-URI, masked alike.'),
  })
  .meta({
    id: 'RefusedInvite',
    description: 'A refused INVITE.',
    examples: [
      {
        time: '2026-01-01T12:00:00.000Z',
        cause: 'unlisted_source',
        detail: null,
        status: 404,
        source: '192.0.2.7',
        from_number: '+49••••••56',
        to_number: '+33•••••••89',
      },
    ],
  });

/** Refused INVITEs, for troubleshooting of trunks. */
export function sipRefusalRoutes(api: Api, { authenticate, refusals }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/sip/refusals',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listSipRefusals',
      summary: 'List refused INVITEs',
      description:
        'Returns the latest 100 INVITEs to numbers and staged calls of your organization that were refused, newest first. INVITEs that ' +
        'name none are included if one of your trunks lists their source in `allowed_addresses`. Each node keeps those that it ' +
        'refused in memory, and any node returns those of all: a restart forgets those of its node. Requests that the SIP server ' +
        'ignores, such as those of scanners, are counted in `/metrics` only.',
      tags: ['SIP trunks'],
      response: { 200: envelopeOf(z.array(refusedInvite), FOUND), ...FAILURES },
    },
    handler: async (request) => {
      const latest = await refusals(organizationOf(request));
      const found = latest.map(({ atMs, cause, detail, from, source, status, to }) => ({
        time: new Date(atMs).toISOString(),
        cause,
        detail,
        status,
        source,
        from_number: from,
        to_number: to,
      }));
      return success(200, FOUND, found);
    },
  });
}
