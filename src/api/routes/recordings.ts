import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Api, RouteContext } from '../api.ts';
import { notFound } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { byteRange } from '../byte-range.ts';
import { hasRecording } from '../call-answer.ts';
import { FAILURES } from '../envelope.ts';
import { opensRecording } from '../recording-link.ts';
import { idParams } from '../schemas/primitives.ts';

const recordingQuery = z.strictObject({
  token: z.string().optional().describe('Of an unprotected recording_url.'),
  expires: z.coerce.number().int().optional().describe('Of a protected recording_url: ms since 1970.'),
  signature: z.string().optional().describe('Of a protected recording_url.'),
});

const WAV = { 'audio/wav': { schema: z.any().meta({ format: 'binary' }) } };

/** An API key opens a recording, and so does the URL that the call's answer gave. */
export function recordingRoutes(api: Api, context: RouteContext): void {
  const { authenticate, clock, dataDir, repositories, secrets } = context;
  api.route({
    method: 'GET',
    url: '/v1/calls/:id/recording',
    schema: {
      operationId: 'getRecording',
      summary: "Get a call's recording",
      description:
        'Stereo WAV: the caller left, the agent right. There is one once the call has ended. A `Range` of its bytes is answered with 206, as players ask that seek in it.',
      tags: ['Calls'],
      params: idParams,
      querystring: recordingQuery,
      response: {
        200: { description: 'The recording', content: WAV },
        206: { description: 'The range of it that was asked for', content: WAV },
        ...FAILURES,
      },
    },
    handler: async (request, reply) => {
      const call = await repositories.calls.find(request.params.id);
      const opened = call !== null && opensRecording(call, request.query, secrets, clock.wallMs());
      if (!opened) await authenticate('read')(request, reply);
      const seen = call !== null && (opened || organizationOf(request) === call.organizationId);
      if (!seen || !hasRecording(call)) throw notFound('Recording');
      const file = await open(join(dataDir, call.recordingPath ?? '')).catch(() => {
        throw notFound('Recording');
      });
      // What there is now: right after the call its last chunk may be on the way to the disk still.
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
