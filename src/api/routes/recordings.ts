import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Api, RouteContext } from '../context/route-context.ts';
import { notFound } from '../errors/api-error.ts';
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

const WAV = { 'audio/wav': { schema: z.any().meta({ type: 'string', format: 'binary' }) } };

/** Access to a recording takes an API key or the query of `recording_url`. */
export function recordingRoutes(api: Api, context: RouteContext): void {
  const { authenticate, clock, connections, dataDir, repositories, secrets } = context;
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
        ...failures({ 404: 'Recording not found' }),
      },
    },
    handler: async (request, reply) => {
      const call = await repositories.calls.find(request.params.id);
      const opened = call !== null && opensRecording(call, request.query, secrets, clock.wallMs());
      if (opened) connections.admit(request, reply, call.organizationId);
      else await authenticate('read')(request, reply);
      const seen = call !== null && (opened || organizationOf(request) === call.organizationId);
      if (!seen || recordingUnavailable(call) !== null) throw notFound('Recording');
      const file = await open(join(dataDir, call.recordingPath ?? '')).catch(() => {
        throw notFound('Recording');
      });
      // Right after the call the last chunk may not be on disk yet.
      const { size } = await file.stat();
      reply.type('audio/wav').header('accept-ranges', 'bytes');
      const range = byteRange(request.headers.range, size);
      if (range !== null) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
      const { start, end } = range ?? { start: 0, end: Math.max(0, size - 1) };
      reply.header('content-length', range === null ? size : end - start + 1);
      return reply.send(file.createReadStream({ start, end }));
    },
  });
}
