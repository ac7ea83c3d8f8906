import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { tapeKey } from '../../object-storage/call-files.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, notFound } from '../errors/api-error.ts';
import { FAILURES, failures } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import { idParams } from '../schemas/primitives.ts';

const NOT_YET_STORED = 'The tape is not in the object store yet';
/** Longer than most uploads take. */
const RETRY_SECONDS = 5;
const NOT_YET_ENDED = 'The call has not ended: its tape is sent to the object store at its end';
const NOT_YET_ENDED_RETRY_SECONDS = 60;
/** Time after the end of a call, ms, for which its node may still have its tape. Later it counts as never written: the disk was full. */
const UPLOAD_MS_MAX = 24 * 60 * 60 * 1_000;
const MEDIA_TYPE = 'application/vnd.trunkline.tape+json';

/** The tape of a call, as one file that `trunkline replay` takes. */
export function callTapeRoutes(api: Api, context: RouteContext): void {
  const { authenticate, files, repositories } = context;
  api.route({
    method: 'GET',
    url: '/v1/calls/:id/tape',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getTape',
      summary: 'Get the tape of a call',
      description:
        'Returns the tape of a call whose agent has `record_tape` as one JSON file: `npx trunkline replay FILE` replays it. It holds ' +
        'the agent, the words of both sides and the answers of models and tools, but no audio. Both phone numbers of the call are ' +
        'masked. Returns 404 for a call without a tape, without an object store on another node than the one that ran the call, and after ' +
        'the content of the call was deleted. 503: the node of the call has not sent the tape to the object store yet.',
      tags: ['Call diagnostics'],
      params: idParams('the call'),
      response: {
        200: {
          description: 'The tape',
          content: { [MEDIA_TYPE]: { schema: z.any().meta({ type: 'string', format: 'binary' }) } },
        },
        ...FAILURES,
        ...failures({ 404: 'Call not found', 503: NOT_YET_STORED }),
      },
    },
    handler: async (request, reply) => {
      const call = await repositories.calls.findInOrganization(organizationOf(request), request.params.id);
      if (call === null) throw notFound('Call');
      // A tape that is completed after the deletion is on the disk until its call is over.
      if (call.deletedMs !== null) throw notFound('Tape');
      const agent = await files.find(tapeKey(call.id, 'agent.json'));
      if (agent === null) throw (await isOnOtherNode(call, context)) ? notYetStored(call) : notFound('Tape');
      const document = await text(await agent.read(null));
      const log = await files.find(tapeKey(call.id, 'tape.jsonl'));
      if (log === null) throw notFound('Tape');
      return reply.type(MEDIA_TYPE).send(Readable.from(tapeFile(document, await log.read(null))));
    },
  });
}

/** Whether another node may have the tape: it sends the tape when the call has ended. */
async function isOnOtherNode(
  { agentId, agentVersion, endMs, metrics, nodeId, recordingConsent }: CallRecord,
  { clock, isSpooled, nodeId: ownId, repositories }: RouteContext,
): Promise<boolean> {
  if (!isSpooled || nodeId === ownId || agentId === null || recordingConsent === 'refused') return false;
  // No engine has run: the call expired or was canceled before it began.
  if (endMs !== null && metrics === null) return false;
  if (endMs !== null && clock.wallMs() - endMs > UPLOAD_MS_MAX) return false;
  return (await repositories.agents.findVersion(agentId, agentVersion))?.configuration.record_tape === true;
}

function notYetStored({ endMs }: CallRecord): ApiError {
  if (endMs === null)
    return new ApiError('unavailable', { message: NOT_YET_ENDED, retryAfterSeconds: NOT_YET_ENDED_RETRY_SECONDS });
  return new ApiError('unavailable', { message: NOT_YET_STORED, retryAfterSeconds: RETRY_SECONDS });
}

/** The form of `trunkline report` without its other parts. Streamed: the log of a long call has some ten megabytes. */
async function* tapeFile(agent: string, log: Readable): AsyncGenerator<string> {
  yield `{"report":1,"tape":{"agent":${agent},"log":"`;
  for await (const part of log.setEncoding('utf8')) yield JSON.stringify(String(part)).slice(1, -1);
  yield '"}}\n';
}
