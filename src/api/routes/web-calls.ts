import { storedTraceparent } from '../../observability/opentelemetry/trace-context.ts';
import { acceptedCall, callRequest } from '../calls/call-request.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failureSchema, success } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import { createdWebCall, webCallBody } from '../schemas/web-call.ts';

const CREATED = 'Web call created';

const PROTOCOL = `Creates a web call and returns the WebSocket URL of its media. Open \`media_url\` from the browser of the user within
60 seconds, once. Until then the call is \`staged\`; without a connection it ends as \`no_answer\`. The \`Origin\` of the
page must be that of the service or be listed in \`WEB_CALL_ORIGINS\`.

**Binary frames** carry audio in both directions: linear16, little-endian, mono, 16 kHz. The service sends 20 ms (640 bytes)
per frame. The browser may send whole samples of up to 100 ms per frame, in real time and including silence. After 30 seconds
without audio the call ends as \`no_media\`.

**Text frames** carry JSON messages. The service sends:

- \`{"type":"connected","call_id","resume_token","resume_seconds"}\`: first message of each connection.
- \`{"type":"transcript","entry"}\`: a transcript entry. It replaces an earlier entry with the same \`sequence\`.
- \`{"type":"state","from","to"}\`: the conversation moved to another state, by name.
- \`{"type":"mark","name":"segment_started"|"segment_ended","utterance","segment"}\`: a position between two audio frames.
- \`{"type":"clear"}\`: the agent was interrupted. Discard received audio that is not played yet.
- \`{"type":"ended","end_reason"}\`: last message.

The browser may send \`{"type":"dtmf","digit":"5"}\`, \`{"type":"hangup"}\` and \`{"type":"text","text":"A table for two"}\`: 1 to 1,000
characters that the user has typed instead of spoken. The text interrupts the agent and is answered as a turn.

**Connection loss.** A closed connection hangs up. A lost connection (no close frame, or 5 seconds without any data or pong)
pauses the call. Reconnect with \`token=<resume_token>\` in the same URL within 10 seconds; otherwise the call ends as \`no_media\`.
If the browser accepts no data for one second, the agent pauses until it does.

**Limits.** Other frames or messages, and more than 100 frames per second on average, end the call as \`media_error\`. A refused handshake
has the status 401 (token unknown), 403 (origin not allowed), 410 (token used or expired) or 503 (no capacity).`;

/** Calls from web pages. */
export function webCallRoutes(api: Api, context: RouteContext): void {
  const { authenticate, callService, publicUrl } = context;
  api.route({
    method: 'POST',
    url: '/v1/calls/web',
    onRequest: authenticate('write'),
    config: { creates: true },
    schema: {
      operationId: 'startWebCall',
      summary: 'Start a web call',
      description: PROTOCOL,
      tags: ['Calls'],
      body: webCallBody,
      response: { 201: envelopeOf(createdWebCall, CREATED), ...FAILURES, 502: failureSchema },
    },
    handler: async (request, reply) => {
      const call = {
        ...(await callRequest(context, organizationOf(request), request.body)),
        traceparent: storedTraceparent(request.headers.traceparent),
      };
      const { callId, ready, token } = await acceptedCall(callService.startWebCall(call));
      const outcome = await ready;
      if (outcome.type === 'failed') throw new ApiError('preparation_failed', { callId, message: outcome.message });
      const base = publicUrl().replace(/^http/, 'ws');
      const answer = {
        call_id: callId,
        access_token: token,
        media_url: `${base}/v1/calls/${callId}/media?token=${token}`,
      };
      return reply.code(201).send(success(201, CREATED, answer));
    },
  });
}
