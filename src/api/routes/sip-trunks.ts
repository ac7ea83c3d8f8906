import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';
import type { ReachabilityInterval } from '../../telephony/trunks/reachability-history.ts';
import type { TrunkState } from '../../telephony/trunks/trunk-state.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, invalidField, notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import { LIST_MESSAGE, listFields, listResponse, pageOf, pageQuery } from '../schemas/pagination.ts';
import { idParams } from '../schemas/primitives.ts';
import { sipTrunkBody, sipTrunkPatch, sipTrunkResponseSchema } from '../schemas/telephony.ts';
import { trunkHistorySchema } from '../schemas/trunk-reachability.ts';

const TAGS = ['SIP trunks'];
const ADDED = 'SIP trunk added';
const FOUND = 'SIP trunk found';
const HISTORY_FOUND = 'Reachability found';
const UPDATED = 'SIP trunk updated';
const REMOVED = 'SIP trunk removed';
const CHANGED = 'The SIP trunk was changed by concurrent requests: retry';
const NOT_FOUND = failures({ 404: 'SIP trunk not found' });
/** Trunks of an organization: each may register, and be pinged, for as long as it exists. */
const TRUNKS_MAX = 200;
const TOO_MANY = `An organization has at most ${TRUNKS_MAX} SIP trunks: remove one first`;
/** Attempts of a change that concurrent changes overtake. Each failed attempt means that another change succeeded. */
const UPDATE_TRIES_MAX = 50;

export function sipTrunkRoutes(api: Api, context: RouteContext): void {
  listSipTrunks(api, context);
  listTrunkReachability(api, context);
  createSipTrunk(api, context);
  getSipTrunk(api, context);
  updateSipTrunk(api, context);
  deleteSipTrunk(api, context);
}

function listSipTrunks(api: Api, { authenticate, repositories, trunkStates }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/sip-trunks',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listSipTrunks',
      summary: 'List SIP trunks',
      description: 'Returns the SIP trunks of your organization, newest first.',
      tags: TAGS,
      querystring: pageQuery,
      response: { 200: envelopeOf(z.array(sipTrunkResponseSchema), LIST_MESSAGE).extend(listFields), ...FAILURES },
    },
    handler: async (request) => {
      const page = pageOf(request.query);
      const trunks = await repositories.sipTrunks.list(organizationOf(request), page);
      const stateOf = await trunkStates(trunks.items.map(({ id }) => id));
      return listResponse(trunks, page, (trunk) => sipTrunkAnswer(trunk, stateOf(trunk.id)));
    },
  });
}

function listTrunkReachability(api: Api, { authenticate, reachabilityHistory, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/sip-trunks/reachability',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listTrunkReachability',
      summary: 'List the reachability of SIP trunks over the last day',
      description:
        'Returns the reachability checks of each trunk of your organization that has an `options_interval`, by half hours of the last ' +
        'day, of all nodes together. Each node keeps its own checks in memory: a restart of it, or another address of the trunk, begins again.',
      tags: TAGS,
      response: { 200: envelopeOf(z.array(trunkHistorySchema), HISTORY_FOUND), ...FAILURES },
    },
    handler: async (request) => {
      const organizationId = organizationOf(request);
      const [trunks, history] = await Promise.all([
        repositories.sipTrunks.all(organizationId),
        reachabilityHistory(organizationId),
      ]);
      const data = trunks.flatMap(({ id, optionsIntervalSeconds }) => {
        const intervals = (history.get(id) ?? []).map(intervalAnswer);
        return optionsIntervalSeconds === null ? [] : [{ trunk_id: id, intervals }];
      });
      return success(200, HISTORY_FOUND, data);
    },
  });
}

function intervalAnswer({ checks, reachable, roundTripMs, startMs }: ReachabilityInterval) {
  return { start_time: new Date(startMs).toISOString(), checks, reachable, round_trip_ms: roundTripMs };
}

function createSipTrunk(api: Api, context: RouteContext): void {
  const { authenticate, clock, reloadAllowedSources, registrations, repositories, secrets, trunkStates } = context;
  api.route({
    method: 'POST',
    url: '/v1/sip-trunks',
    onRequest: authenticate('write'),
    config: { creates: true },
    schema: {
      operationId: 'createSipTrunk',
      summary: 'Add a SIP trunk',
      description:
        'Connects a carrier, SBC or PBX. Set `trunk_id` of a phone number to use the trunk for outbound calls, and list the ' +
        'addresses of the trunk in `allowed_addresses` for inbound calls.',
      tags: TAGS,
      body: sipTrunkBody,
      response: { 201: envelopeOf(sipTrunkResponseSchema, ADDED), ...failures({ 409: TOO_MANY }), ...FAILURES },
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
        inbandDtmf: body.inband_dtmf,
        maxConcurrentCalls: body.max_concurrent_calls,
        maxCallsPerSecond: body.max_calls_per_second,
        priority: body.priority,
        optionsIntervalSeconds: body.options_interval,
        country: body.country,
        fromUser: body.from_user,
        fromDomain: body.from_domain,
        createdMs: clock.wallMs(),
      };
      checkAddresses(context, trunk);
      // Requests at one moment may exceed the bound by their number.
      const { length } = await repositories.sipTrunks.all(trunk.organizationId);
      if (length >= TRUNKS_MAX) throw new ApiError('conflict', { message: TOO_MANY });
      await repositories.sipTrunks.create(trunk);
      await reloadAllowedSources();
      registrations.add(trunk);
      const stateOf = await trunkStates([trunk.id]);
      return reply.code(201).send(success(201, ADDED, sipTrunkAnswer(trunk, stateOf(trunk.id))));
    },
  });
}

function getSipTrunk(api: Api, { authenticate, repositories, trunkStates }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/sip-trunks/:id',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getSipTrunk',
      summary: 'Get a SIP trunk',
      description: 'Returns the trunk with its registration and reachability, as any of several nodes sees them.',
      tags: TAGS,
      params: idParams('the SIP trunk'),
      response: { 200: envelopeOf(sipTrunkResponseSchema, FOUND), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const trunk = await repositories.sipTrunks.find(organizationOf(request), request.params.id);
      if (trunk === null) throw notFound('SIP trunk');
      const stateOf = await trunkStates([trunk.id]);
      return success(200, FOUND, sipTrunkAnswer(trunk, stateOf(trunk.id)));
    },
  });
}

function updateSipTrunk(api: Api, context: RouteContext): void {
  const { authenticate, reloadAllowedSources, registrations, secrets, trunkStates } = context;
  api.route({
    method: 'PATCH',
    url: '/v1/sip-trunks/:id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'updateSipTrunk',
      summary: 'Update a SIP trunk',
      description:
        'Omitted fields keep their values, including the password; null clears `username`, `password`, the limits, `priority`, ' +
        '`options_interval`, `country`, `from_user` and `from_domain`. Calls in progress continue. A trunk with `register` registers again.',
      tags: TAGS,
      params: idParams('the SIP trunk'),
      body: sipTrunkPatch,
      response: {
        200: envelopeOf(sipTrunkResponseSchema, UPDATED),
        ...FAILURES,
        ...NOT_FOUND,
        ...failures({ 409: CHANGED }),
      },
    },
    handler: async (request) => {
      const patch = patchOf(request.body, secrets);
      checkAddresses(context, patch);
      const trunk = await changedTrunk(context, organizationOf(request), request.params.id, patch);
      await reloadAllowedSources();
      await registrations.replace(trunk);
      const stateOf = await trunkStates([trunk.id]);
      return success(200, UPDATED, sipTrunkAnswer(trunk, stateOf(trunk.id)));
    },
  });
}

/** @throws ApiError 422 for an address that the operator does not allow */
function checkAddresses({ trunkAddresses }: RouteContext, trunk: Partial<SipTrunkRecord>): void {
  const fault = trunkAddresses.fault(trunk);
  if (fault !== null) throw invalidField(fault.field, fault.message);
}

/** Retries on top of concurrent changes, so that simultaneous patches each keep their fields. */
async function changedTrunk(
  { repositories: { sipTrunks } }: RouteContext,
  organizationId: string,
  id: string,
  patch: Partial<SipTrunkRecord>,
): Promise<SipTrunkRecord> {
  for (let tries = 0; tries < UPDATE_TRIES_MAX; tries += 1) {
    const before = await sipTrunks.find(organizationId, id);
    if (before === null) throw notFound('SIP trunk');
    const trunk = { ...before, ...patch };
    if (trunk.register && (trunk.username === null || trunk.passwordSealed === null)) {
      throw invalidField('register', 'registration needs username and password');
    }
    if (await sipTrunks.replace(before, trunk)) return trunk;
  }
  throw new ApiError('conflict', { message: CHANGED });
}

function patchOf(body: z.output<typeof sipTrunkPatch>, secrets: RouteContext['secrets']): Partial<SipTrunkRecord> {
  const { password } = body;
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.termination_uri !== undefined && { terminationUri: body.termination_uri }),
    ...(body.transport !== undefined && { transport: body.transport }),
    ...(body.username !== undefined && { username: body.username }),
    ...(password !== undefined && { passwordSealed: password && secrets.seal(password, 'trunk_password') }),
    ...(body.allowed_addresses !== undefined && { allowedAddresses: body.allowed_addresses }),
    ...(body.register !== undefined && { register: body.register }),
    ...(body.codecs !== undefined && { codecs: body.codecs }),
    ...(body.srtp !== undefined && { srtp: body.srtp }),
    ...(body.inband_dtmf !== undefined && { inbandDtmf: body.inband_dtmf }),
    ...(body.max_concurrent_calls !== undefined && { maxConcurrentCalls: body.max_concurrent_calls }),
    ...(body.max_calls_per_second !== undefined && { maxCallsPerSecond: body.max_calls_per_second }),
    ...(body.priority !== undefined && { priority: body.priority }),
    ...(body.options_interval !== undefined && { optionsIntervalSeconds: body.options_interval }),
    ...(body.country !== undefined && { country: body.country }),
    ...(body.from_user !== undefined && { fromUser: body.from_user }),
    ...(body.from_domain !== undefined && { fromDomain: body.from_domain }),
  };
}

function deleteSipTrunk(
  api: Api,
  { authenticate, reloadAllowedSources, registrations, repositories }: RouteContext,
): void {
  api.route({
    method: 'DELETE',
    url: '/v1/sip-trunks/:id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'deleteSipTrunk',
      summary: 'Remove a SIP trunk',
      description:
        'Removes the trunk and its registration. Phone numbers that used it then have no trunk. Calls in progress continue.',
      tags: TAGS,
      params: idParams('the SIP trunk'),
      response: { 200: envelopeOf(z.null(), REMOVED), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const removed = await repositories.sipTrunks.remove(organizationOf(request), request.params.id);
      if (!removed) throw notFound('SIP trunk');
      void registrations.remove(request.params.id);
      await reloadAllowedSources();
      return success(200, REMOVED, null);
    },
  });
}

function sipTrunkAnswer(
  trunk: SipTrunkRecord,
  { reachability, registration }: TrunkState,
): z.output<typeof sipTrunkResponseSchema> {
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
    inband_dtmf: trunk.inbandDtmf,
    max_concurrent_calls: trunk.maxConcurrentCalls,
    max_calls_per_second: trunk.maxCallsPerSecond,
    priority: trunk.priority,
    options_interval: trunk.optionsIntervalSeconds,
    country: trunk.country,
    from_user: trunk.fromUser,
    from_domain: trunk.fromDomain,
    reachability: reachability && {
      reachable: reachability.reachable,
      status: reachability.status,
      round_trip_ms: reachability.roundTripMs === null ? null : Math.round(reachability.roundTripMs * 10) / 10,
      error: reachability.error,
      since: new Date(reachability.sinceMs).toISOString(),
      node_id: reachability.nodeId,
      unreachable_nodes: [...reachability.unreachableNodes],
    },
    registration: registration && {
      status: registration.status,
      expires_at: registration.expiresAtMs === null ? null : new Date(registration.expiresAtMs).toISOString(),
      error: registration.error,
      node_id: registration.nodeId,
    },
    created_at: new Date(trunk.createdMs).toISOString(),
  };
}
