import { randomUUID } from 'node:crypto';
import { z } from 'zod';
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

function listSipTrunks(api: Api, { authenticate, repositories }: RouteContext): void {
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
      return listAnswer(await repositories.sipTrunks.list(organizationOf(request), page), page, sipTrunkAnswer);
    },
  });
}

function createSipTrunk(api: Api, { authenticate, clock, repositories, secrets }: RouteContext): void {
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
        createdMs: clock.wallMs(),
      };
      await repositories.sipTrunks.create(trunk);
      return reply.code(201).send(success(201, 'SIP trunk added', sipTrunkAnswer(trunk)));
    },
  });
}

function getSipTrunk(api: Api, { authenticate, repositories }: RouteContext): void {
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
      return success(200, 'SIP trunk found', sipTrunkAnswer(trunk));
    },
  });
}

function deleteSipTrunk(api: Api, { authenticate, repositories }: RouteContext): void {
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
      return success(200, 'SIP trunk removed', null);
    },
  });
}

function sipTrunkAnswer(trunk: SipTrunkRecord): z.output<typeof sipTrunkAnswerSchema> {
  return {
    id: trunk.id,
    name: trunk.name,
    termination_uri: trunk.terminationUri,
    transport: trunk.transport,
    username: trunk.username,
    allowed_addresses: [...trunk.allowedAddresses],
    created_at: new Date(trunk.createdMs).toISOString(),
  };
}
