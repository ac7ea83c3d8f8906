import { z } from 'zod';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, notFound } from '../errors/api-error.ts';
import { FAILURES, failures } from '../errors/envelope.ts';
import { byteRange } from '../recordings/byte-range.ts';
import { recordingUnavailable } from '../recordings/recording-availability.ts';
import { opensRecording } from '../recordings/recording-link.ts';
import { organizationOf } from '../requests/authentication.ts';
import { idParams } from '../schemas/primitives.ts';

const recordingQuery = z.strictObject({
  token: z.string().optional().describe('Token of a permanent `recording_url`.'),
  expires: z.coerce.number().int().optional().describe('Expiry of a protected `recording_url`, ms since 1970.'),
  signature: z.string().optional().describe('Signature of a protected `recording_url`.'),
});

const NOT_YET_STORED = 'The recording is not in the object store yet, or the store does not answer';
/** Longer than most uploads take. */
const RETRY_SECONDS = 5;

const WAV = { 'audio/wav': { schema: z.any().meta({ type: 'string', format: 'binary' }) } };

/** Access to a recording takes an API key or the query of `recording_url`. */
export function recordingRoutes(api: Api, context: RouteContext): void {
  const { authenticate, clock, connections, files, isSpooled, repositories, secrets } = context;
  api.route({
    method: 'GET',
    url: '/v1/calls/:id/recording',
    schema: {
      operationId: 'getRecording',
      summary: 'Get the recording of a call',
      description:
        'Returns a stereo WAV file: the user on the left channel, the agent on the right. It is available after the end of the call. ' +
        'Access takes an API key or the query of `recording_url`. Requests with a `Range` header return 206, so players can seek.',
      tags: ['Calls'],
      params: idParams('the call'),
      querystring: recordingQuery,
      response: {
        200: { description: 'The recording', content: WAV },
        206: { description: 'The requested range of the recording', content: WAV },
        ...FAILURES,
        ...failures({ 404: 'Recording not found', 503: NOT_YET_STORED }),
      },
    },
    handler: async (request, reply) => {
      const call = await repositories.calls.find(request.params.id);
      const opened = call !== null && opensRecording(call, request.query, secrets, clock.wallMs());
      if (opened) {
        request.linkedOrganizationId = call.organizationId;
        connections.admit(request, reply, call.organizationId);
      } else await authenticate('read')(request, reply);
      const seen = call !== null && (opened || organizationOf(request) === call.organizationId);
      if (!seen || recordingUnavailable(call) !== null) throw notFound('Recording');
      const recording = await files.find(call.recordingPath ?? '');
      // The node of the call sends it once that node and the object store are there again, however long that takes.
      if (recording === null) throw isSpooled ? notYetStored() : notFound('Recording');
      // Right after the call the last chunk may not be on disk yet.
      const { size } = recording;
      const range = byteRange(request.headers.range, size);
      const content = await recording.read(range);
      reply.type('audio/wav').header('accept-ranges', 'bytes');
      if (range !== null) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
      const { start, end } = range ?? { start: 0, end: Math.max(0, size - 1) };
      reply.header('content-length', range === null ? size : end - start + 1);
      return reply.send(content);
    },
  });
}

function notYetStored(): ApiError {
  return new ApiError('unavailable', { message: NOT_YET_STORED, retryAfterSeconds: RETRY_SECONDS });
}
