import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { RegistrationState } from '../../../sip/signalling/registration/registration-keeper.ts';
import type { SipTrunkRecord } from '../../storage/sip-trunk-repository.ts';
import type { Api, RouteContext } from '../api.ts';
import { notFound } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { envelopeOf, FAILURES, success } from '../envelope.ts';
import { listAnswer, listFields, pageOf, pageQuery } from '../schemas/pagination.ts';
import { idParams } from '../schemas/primitives.ts';
import { sipTrunkAnswerSchema, sipTrunkBody } from '../schemas/telephony.ts';

const TAGS = ['SIP trunks'];

export function sipTrunkRoutes(api: Api, context: RouteContext): void {
  listSipTrunks(api, context);
  createSipTrunk(api, context);
  getSipTrunk(api, context);
  deleteSipTrunk(api, context);
}

function listSipTrunks(api: Api, { authenticate, registrations, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/sip-trunks',
    onRequest: authenticate('read'),
    schema: {
      summary: 'List SIP trunks',
      description: 'Newest first, in pages; with use_cursor, by cursor.',
      tags: TAGS,
      querystring: pageQuery,
      response: { 200: envelopeOf(z.array(sipTrunkAnswerSchema)).extend(listFields), ...FAILURES },
    },
    handler: async (request) => {
      const page = pageOf(request.query);
      const trunks = await repositories.sipTrunks.list(organizationOf(request), page);
      return listAnswer(trunks, page, (trunk) => sipTrunkAnswer(trunk, registrations.state(trunk.id)));
    },
  });
}

function createSipTrunk(api: Api, context: RouteContext): void {
  const { authenticate, clock, registrations, repositories, secrets } = context;
  api.route({
    method: 'POST',
    url: '/v1/sip-trunks',
    onRequest: authenticate('write'),
    config: { creates: true },
    schema: {
      summary: 'Add a SIP trunk',
      tags: TAGS,
      body: sipTrunkBody,
      response: { 201: envelopeOf(sipTrunkAnswerSchema), ...FAILURES },
    },
    handler: async (request, reply) => {
      const { body } = request;
      const trunk: SipTrunkRecord = {
        id: randomUUID(),
        organizationId: organizationOf(request),
        name: body.name,
        terminationUri: body.termination_uri,
        transport: body.transport,
        username: body.username,
        passwordSealed: body.password === null ? null : secrets.seal(body.password, 'trunk_password'),
        allowedAddresses: body.allowed_addresses,
        register: body.register,
        codecs: body.codecs,
        srtp: body.srtp,
        maxConcurrentCalls: body.max_concurrent_calls,
        maxCallsPerSecond: body.max_calls_per_second,
        priority: body.priority,
        createdMs: clock.wallMs(),
      };
      await repositories.sipTrunks.create(trunk);
      registrations.add(trunk);
      const answer = sipTrunkAnswer(trunk, registrations.state(trunk.id));
      return reply.code(201).send(success(201, 'SIP trunk added', answer));
    },
  });
}

function getSipTrunk(api: Api, { authenticate, registrations, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/sip-trunks/:id',
    onRequest: authenticate('read'),
    schema: {
      summary: 'Get a SIP trunk',
      tags: TAGS,
      params: idParams,
      response: { 200: envelopeOf(sipTrunkAnswerSchema), ...FAILURES },
    },
    handler: async (request) => {
      const trunk = await repositories.sipTrunks.find(organizationOf(request), request.params.id);
      if (trunk === null) throw notFound('SIP trunk');
      return success(200, 'SIP trunk found', sipTrunkAnswer(trunk, registrations.state(trunk.id)));
    },
  });
}

function deleteSipTrunk(api: Api, { authenticate, registrations, repositories }: RouteContext): void {
  api.route({
    method: 'DELETE',
    url: '/v1/sip-trunks/:id',
    onRequest: authenticate('write'),
    schema: {
      summary: 'Remove a SIP trunk',
      description: 'Numbers that used it have no trunk afterwards.',
      tags: TAGS,
      params: idParams,
      response: { 200: envelopeOf(z.null()), ...FAILURES },
    },
    handler: async (request) => {
      const removed = await repositories.sipTrunks.remove(organizationOf(request), request.params.id);
      if (!removed) throw notFound('SIP trunk');
      void registrations.remove(request.params.id);
      return success(200, 'SIP trunk removed', null);
    },
  });
}

function sipTrunkAnswer(
  trunk: SipTrunkRecord,
  registration: RegistrationState | null,
): z.output<typeof sipTrunkAnswerSchema> {
  return {
    id: trunk.id,
    name: trunk.name,
    termination_uri: trunk.terminationUri,
    transport: trunk.transport,
    username: trunk.username,
    allowed_addresses: [...trunk.allowedAddresses],
    register: trunk.register,
    codecs: [...trunk.codecs],
    srtp: trunk.srtp,
    max_concurrent_calls: trunk.maxConcurrentCalls,
    max_calls_per_second: trunk.maxCallsPerSecond,
    priority: trunk.priority,
    registration: registration && {
      status: registration.status,
      expires_at: registration.expiresAtMs === null ? null : new Date(registration.expiresAtMs).toISOString(),
      error: registration.error,
    },
    created_at: new Date(trunk.createdMs).toISOString(),
  };
}
