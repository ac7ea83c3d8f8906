import type { Api, RouteContext } from '../api.ts';
import { ApiError } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { callOrder, taken } from '../call-order.ts';
import { envelopeOf, FAILURES, failureSchema, success } from '../envelope.ts';
import { createdWebCall, webCallBody } from '../schemas/web-call.ts';

const PROTOCOL = `The caller's page opens \`media_url\` as a WebSocket within 60 seconds, once; the call is \`staged\` until then, and
ends as \`no_answer\` without it. A browser's \`Origin\` must be the service's own or one of \`WEB_CALL_ORIGINS\`.

**Binary frames**, both ways: linear16, little-endian, mono, 16 kHz, 20 ms (640 bytes) each. The caller may send other whole
samples up to 100 ms, at the pace of its microphone, silence included: after 30 s without any the call ends as \`no_media\`.

**Text frames** are JSON. The service tells:
\`{"type":"connected","call_id","resume_token","resume_seconds"}\`, first on each connection;
\`{"type":"transcript","entry"}\`, an entry as the call's transcript has it, which replaces an earlier one with its \`sequence\`;
\`{"type":"state","from","to"}\`, the agent's states by name;
\`{"type":"mark","name":"segment_started"|"segment_ended","utterance","segment"}\`, between the frames that it stands between;
\`{"type":"clear"}\`: drop what was received and is not played yet, the agent was interrupted;
\`{"type":"ended","end_reason"}\`, the last one.
The page may say \`{"type":"dtmf","digit":"5"}\` and \`{"type":"hangup"}\`.

A connection that is closed hangs up. One that is lost (no close frame, or nothing for 5 s, a pong neither) puts the call on
hold: the same URL with \`token=<resume_token>\` goes on with it within 10 s, else it ends as \`no_media\`. Frames that are not
sent because the browser takes none for a second wait, and the agent with them. What is no such frame or message, and more
than a hundred of them a second, ends the call as \`media_error\`. Refused handshakes: 401 token, 403 origin, 410 used or
expired, 503 no room.`;

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
      response: { 201: envelopeOf(createdWebCall), ...FAILURES, 502: failureSchema },
    },
    handler: async (request, reply) => {
      const order = await callOrder(context, organizationOf(request), request.body);
      const { callId, ready, token } = await taken(callService.startWebCall(order));
      const outcome = await ready;
      if (outcome.type === 'failed') throw new ApiError('preparation_failed', { callId, message: outcome.message });
      const base = publicUrl().replace(/^http/, 'ws');
      const answer = {
        call_id: callId,
        access_token: token,
        media_url: `${base}/v1/calls/${callId}/media?token=${token}`,
      };
      return reply.code(201).send(success(201, 'Web call created', answer));
    },
  });
}
