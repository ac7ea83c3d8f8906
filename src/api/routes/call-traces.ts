import { z } from 'zod';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import { NODE_UNAVAILABLE, traceOfCall } from '../calls/call-trace.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, notFound, scopeMissing } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import { idParams } from '../schemas/primitives.ts';

const TAGS = ['Call diagnostics'];
const { message: ADMIN_MISSING } = scopeMissing('admin');
const CAPTURING = 'Packet capture started';
const NOT_A_LIVE_PHONE_CALL = 'The call is not a phone call in progress';

/** SIP messages and packets of a call, for troubleshooting. */
export function callTraceRoutes(api: Api, context: RouteContext): void {
  getLadder(api, context);
  beginCapture(api, context);
  getPcap(api, context);
}

function getLadder(api: Api, context: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/calls/:id/sip-ladder',
    onRequest: context.authenticate('read'),
    schema: {
      operationId: 'getSipLadder',
      summary: 'Get the SIP messages of a call',
      description:
        'Returns a ladder diagram as text, one line per SIP message, for each dialog of the call: the caller, each trunk that was ' +
        'tried (`callee`, `callee 2`) and a bridged party (`bridge`). Phone numbers are masked. Each node keeps the messages of ' +
        'its latest calls in memory; older calls return 404.',
      tags: TAGS,
      params: idParams('the call'),
      response: {
        200: { description: 'The ladder diagram', content: { 'text/plain': { schema: z.string() } } },
        ...FAILURES,
        ...failures({ 404: 'Call not found', 503: NODE_UNAVAILABLE }),
      },
    },
    handler: async (request, reply) => {
      const call = await callOf(context, organizationOf(request), request.params.id);
      const ladder = await traceOfCall(context, call, 'ladder');
      if (ladder === null) throw notFound('SIP ladder');
      return reply.type('text/plain; charset=utf-8').send(Buffer.from(ladder).toString('utf8'));
    },
  });
}

function beginCapture(api: Api, context: RouteContext): void {
  api.route({
    method: 'POST',
    url: '/v1/calls/:id/capture',
    onRequest: context.authenticate('admin'),
    schema: {
      operationId: 'captureCall',
      summary: 'Capture the packets of a call',
      description:
        'Copies the RTP and RTCP packets of a phone call in progress from now on, up to the end of the call or 16 MiB (eleven ' +
        'minutes of G.711). Each node keeps the captures of its latest eight captured calls in memory. Needs the scope `admin`. ' +
        'Returns 409 if the call is not in progress or is a web call, and 503 if the node of the call does not respond.',
      tags: TAGS,
      params: idParams('the call'),
      response: {
        200: envelopeOf(z.null(), CAPTURING),
        ...FAILURES,
        ...failures({ 403: ADMIN_MISSING, 404: 'Call not found', 409: NOT_A_LIVE_PHONE_CALL, 503: NODE_UNAVAILABLE }),
      },
    },
    handler: async (request) => {
      const call = await callOf(context, organizationOf(request), request.params.id);
      if ((await traceOfCall(context, call, 'capture')) === null) {
        throw new ApiError('conflict', { message: NOT_A_LIVE_PHONE_CALL });
      }
      return success(200, CAPTURING, null);
    },
  });
}

function getPcap(api: Api, context: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/calls/:id/pcap',
    onRequest: context.authenticate('admin'),
    schema: {
      operationId: 'getPcap',
      summary: 'Get the captured packets of a call',
      description:
        'Returns a pcap file for Wireshark or sngrep: the SIP messages with masked numbers and credentials, and the RTP and RTCP ' +
        'packets since the start of the capture, decrypted. SIP over TCP or TLS is written as UDP. Needs the scope `admin`. ' +
        'Returns 404 after the content of the call was deleted.',
      tags: TAGS,
      params: idParams('the call'),
      response: {
        200: {
          description: 'The pcap file',
          content: { 'application/vnd.tcpdump.pcap': { schema: z.any().meta({ type: 'string', format: 'binary' }) } },
        },
        ...FAILURES,
        ...failures({ 403: ADMIN_MISSING, 404: 'Call not found', 503: NODE_UNAVAILABLE }),
      },
    },
    handler: async (request, reply) => {
      const call = await callOf(context, organizationOf(request), request.params.id);
      // Another node may have deleted the call; its capture is then still in the memory of this node.
      const pcap = call.deletedMs === null ? await traceOfCall(context, call, 'pcap') : null;
      if (pcap === null) throw notFound('Capture');
      return reply.type('application/vnd.tcpdump.pcap').send(Buffer.from(pcap));
    },
  });
}

async function callOf({ repositories }: RouteContext, organizationId: string, id: string): Promise<CallRecord> {
  const call = await repositories.calls.findInOrganization(organizationId, id);
  if (call === null) throw notFound('Call');
  return call;
}
