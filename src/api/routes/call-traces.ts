import { z } from 'zod';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { Api, RouteContext } from '../api.ts';
import { ApiError, notFound } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { callNotHere } from '../call-not-here.ts';
import { envelopeOf, FAILURES, failureSchema, success } from '../envelope.ts';
import { idParams } from '../schemas/primitives.ts';

const TAGS = ['Calls'];

/** What went over the wire of a call, for whoever looks for a fault. */
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
      summary: "Get a call's SIP messages, a line each",
      description:
        'Of each of its dialogs: that of the caller or of each trunk that was tried (callee, callee 2), and of whom it was bridged to (bridge), answered or not. Kept in memory for the last calls of this node, numbers masked; 404 where it is not kept any more.',
      tags: TAGS,
      params: idParams,
      response: { 200: { description: 'The ladder', content: { 'text/plain': { schema: z.string() } } }, ...FAILURES },
    },
    handler: async (request, reply) => {
      const ladder = context.traces.ladder(await callOf(context, organizationOf(request), request.params.id));
      if (ladder === null) throw notFound('SIP ladder');
      return reply.type('text/plain; charset=utf-8').send(ladder);
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
      summary: 'Capture the packets of a call in progress',
      description:
        'Its RTP and RTCP are copied from now on, to the end of the call or 16 MiB, eleven minutes of G.711; of the last eight calls captured, in memory. 409 where the call is not in progress or is on another node, and for a web call.',
      tags: TAGS,
      params: idParams,
      response: { 200: envelopeOf(z.null()), ...FAILURES, 409: failureSchema },
    },
    handler: async (request) => {
      const call = await callOf(context, organizationOf(request), request.params.id);
      if (!context.traces.capture(call.id)) {
        if (call.type === 'phone_call' && call.status === 'in_progress') throw callNotHere(call);
        throw new ApiError('conflict', { message: 'The call is not a phone call in progress' });
      }
      return success(200, 'The call is being captured', null);
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
      summary: "Get a call's packets, for Wireshark or sngrep",
      description:
        'Its SIP, numbers and credentials masked, and its RTP and RTCP, in the clear, since it was captured; 404 once what was said on the call was deleted. SIP over TCP or TLS is written as UDP.',
      tags: TAGS,
      params: idParams,
      response: {
        200: {
          description: 'The capture',
          content: { 'application/vnd.tcpdump.pcap': { schema: z.any().meta({ format: 'binary' }) } },
        },
        ...FAILURES,
      },
    },
    handler: async (request, reply) => {
      const call = await callOf(context, organizationOf(request), request.params.id);
      // What another node captured is still in its memory when this one deletes the call.
      const pcap = call.deletedMs === null ? context.traces.pcap(call) : null;
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
