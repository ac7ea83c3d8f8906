import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { DatabaseError } from '../../storage/link/database-error.ts';
import type { PhoneNumberPatch, PhoneNumberRecord } from '../../storage/telephony/phone-number-repository.ts';
import { NO_TRUNKS } from '../../telephony/destinations/destination-ruling.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, invalidField, notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import { LIST_MESSAGE, listFields, listResponse, pageOf, pageQuery } from '../schemas/pagination.ts';
import { idParams } from '../schemas/primitives.ts';
import { phoneNumberBody, phoneNumberPatch, phoneNumberResponseSchema } from '../schemas/telephony.ts';

const TAGS = ['Phone numbers'];
const ADDED = 'Phone number added';
const FOUND = 'Phone number found';
const UPDATED = 'Phone number updated';
const REMOVED = 'Phone number removed';
/** The same error for a number of this organization and of another: it must not reveal the owner. */
const TAKEN = 'number: this number cannot be added, because it is in use';
const NOT_FOUND = failures({ 404: 'Phone number not found' });

export function phoneNumberRoutes(api: Api, context: RouteContext): void {
  listPhoneNumbers(api, context);
  createPhoneNumber(api, context);
  getPhoneNumber(api, context);
  updatePhoneNumber(api, context);
  deletePhoneNumber(api, context);
}

function listPhoneNumbers(api: Api, { authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/phone-numbers',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listPhoneNumbers',
      summary: 'List phone numbers',
      description: 'Returns the phone numbers of your organization, newest first.',
      tags: TAGS,
      querystring: pageQuery,
      response: { 200: envelopeOf(z.array(phoneNumberResponseSchema), LIST_MESSAGE).extend(listFields), ...FAILURES },
    },
    handler: async (request) => {
      const page = pageOf(request.query);
      return listResponse(await repositories.phoneNumbers.list(organizationOf(request), page), page, phoneNumberAnswer);
    },
  });
}

function createPhoneNumber(api: Api, context: RouteContext): void {
  const { authenticate, clock, repositories } = context;
  api.route({
    method: 'POST',
    url: '/v1/phone-numbers',
    onRequest: authenticate('write'),
    config: { creates: true },
    schema: {
      operationId: 'createPhoneNumber',
      summary: 'Add a phone number',
      description:
        'Registers a number that your trunk delivers. A number that is in use returns 409: remove it first, or ask the operator of the service.',
      tags: TAGS,
      body: phoneNumberBody,
      response: { 201: envelopeOf(phoneNumberResponseSchema, ADDED), ...FAILURES, ...failures({ 409: TAKEN }) },
    },
    handler: async (request, reply) => {
      const { body } = request;
      const number: PhoneNumberRecord = {
        id: randomUUID(),
        organizationId: organizationOf(request),
        number: body.number,
        name: body.name ?? body.number,
        type: body.type,
        inboundAgentId: body.inbound_agent_id,
        redirect: body.redirect,
        redirectPhoneNumber: body.redirect_phone_number,
        redirectMode: body.redirect_mode,
        sipUri: null,
        trunkId: body.trunk_id,
        lookupWebhookUrl: body.lookup_webhook_url,
        sipHeaderVariables: body.sip_header_variables,
        createdMs: clock.wallMs(),
      };
      await checkNumber(context, number);
      await checkLookup(context, number, null);
      try {
        await repositories.phoneNumbers.create(number);
      } catch (error) {
        const taken = error instanceof DatabaseError && error.fault === 'constraint';
        throw taken ? new ApiError('conflict', { message: TAKEN }) : error;
      }
      return reply.code(201).send(success(201, ADDED, phoneNumberAnswer(number)));
    },
  });
}

function getPhoneNumber(api: Api, { authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/phone-numbers/:id',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getPhoneNumber',
      summary: 'Get a phone number',
      description: 'Returns one phone number of your organization.',
      tags: TAGS,
      params: idParams('the phone number'),
      response: { 200: envelopeOf(phoneNumberResponseSchema, FOUND), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const number = await repositories.phoneNumbers.find(organizationOf(request), request.params.id);
      if (number === null) throw notFound('Phone number');
      return success(200, FOUND, phoneNumberAnswer(number));
    },
  });
}

function updatePhoneNumber(api: Api, context: RouteContext): void {
  const { authenticate, repositories } = context;
  api.route({
    method: 'PATCH',
    url: '/v1/phone-numbers/:id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'updatePhoneNumber',
      summary: 'Update a phone number',
      description:
        'Omitted fields keep their values; null clears `inbound_agent_id`, `redirect_phone_number`, `trunk_id` and `lookup_webhook_url`.',
      tags: TAGS,
      params: idParams('the phone number'),
      body: phoneNumberPatch,
      response: { 200: envelopeOf(phoneNumberResponseSchema, UPDATED), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const organizationId = organizationOf(request);
      const before = await repositories.phoneNumbers.find(organizationId, request.params.id);
      if (before === null) throw notFound('Phone number');
      const patch = patchOf(request.body);
      const number = { ...before, ...patch };
      await checkNumber(context, number);
      await checkLookup(context, number, before);
      const updated = await repositories.phoneNumbers.update(organizationId, before.id, patch);
      if (!updated) throw notFound('Phone number');
      return success(200, UPDATED, phoneNumberAnswer(number));
    },
  });
}

function deletePhoneNumber(api: Api, { authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'DELETE',
    url: '/v1/phone-numbers/:id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'deletePhoneNumber',
      summary: 'Remove a phone number',
      description: 'Removes the number. Inbound calls to it are refused from then on; call records are kept.',
      tags: TAGS,
      params: idParams('the phone number'),
      response: { 200: envelopeOf(z.null(), REMOVED), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const removed = await repositories.phoneNumbers.remove(organizationOf(request), request.params.id);
      if (!removed) throw notFound('Phone number');
      return success(200, REMOVED, null);
    },
  });
}

/** The agent and trunk of a number must belong to the organization; its redirect must be dialable. */
async function checkNumber({ destinations, repositories }: RouteContext, number: PhoneNumberRecord): Promise<void> {
  const { organizationId, inboundAgentId, redirectPhoneNumber, trunkId } = number;
  if (number.redirect && number.redirectPhoneNumber === null) {
    throw invalidField('redirect_phone_number', 'expected a number, because redirect is true');
  }
  if (redirectPhoneNumber === number.number) {
    throw invalidField('redirect_phone_number', 'expected a number other than this one');
  }
  const ruling = redirectPhoneNumber === null ? null : destinations(redirectPhoneNumber, NO_TRUNKS);
  if (ruling?.ok === false) {
    throw invalidField('redirect_phone_number', `the number cannot be called: ${ruling.reason}`);
  }
  if (
    inboundAgentId !== null &&
    (await repositories.agents.findInOrganization(organizationId, inboundAgentId)) === null
  ) {
    throw invalidField('inbound_agent_id', 'expected an agent of your organization');
  }
  if (trunkId !== null && (await repositories.sipTrunks.find(organizationId, trunkId)) === null) {
    throw invalidField('trunk_id', 'expected a SIP trunk of your organization');
  }
}

/**
 * The inbound agent of a number with a lookup webhook signs its requests, and takes the call if it fails. A number whose agent was
 * deleted keeps its webhook, so that it does not block other changes.
 */
async function checkLookup(
  { clock, repositories }: RouteContext,
  { inboundAgentId, lookupWebhookUrl }: PhoneNumberRecord,
  before: PhoneNumberRecord | null,
): Promise<void> {
  const isUnchanged = before?.lookupWebhookUrl === lookupWebhookUrl && before.inboundAgentId === inboundAgentId;
  if (lookupWebhookUrl === null || isUnchanged) return;
  if (inboundAgentId === null) {
    throw invalidField(
      'lookup_webhook_url',
      'expected an inbound_agent_id too: its agent takes the call if the webhook fails',
    );
  }
  if ((await repositories.webhookSecrets.signing(inboundAgentId, clock.wallMs())).length === 0) {
    const remedy = 'create one with POST /v1/agents/{id}/webhook-secret';
    throw invalidField('lookup_webhook_url', `expected a webhook secret of the inbound agent: ${remedy}`);
  }
}

function patchOf(body: z.output<typeof phoneNumberPatch>): PhoneNumberPatch {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.inbound_agent_id !== undefined && { inboundAgentId: body.inbound_agent_id }),
    ...(body.redirect !== undefined && { redirect: body.redirect }),
    ...(body.redirect_phone_number !== undefined && { redirectPhoneNumber: body.redirect_phone_number }),
    ...(body.redirect_mode !== undefined && { redirectMode: body.redirect_mode }),
    ...(body.trunk_id !== undefined && { trunkId: body.trunk_id }),
    ...(body.lookup_webhook_url !== undefined && { lookupWebhookUrl: body.lookup_webhook_url }),
    ...(body.sip_header_variables !== undefined && { sipHeaderVariables: body.sip_header_variables }),
  };
}

function phoneNumberAnswer(number: PhoneNumberRecord): z.output<typeof phoneNumberResponseSchema> {
  return {
    id: number.id,
    number: number.number,
    name: number.name,
    created_at: new Date(number.createdMs).toISOString(),
    type: number.type,
    inbound_agent_id: number.inboundAgentId,
    redirect: number.redirect,
    redirect_phone_number: number.redirectPhoneNumber,
    redirect_mode: number.redirectMode,
    trunk_id: number.trunkId,
    lookup_webhook_url: number.lookupWebhookUrl,
    sip_header_variables: [...number.sipHeaderVariables],
    ...(number.type === 'sip' && { sip_uri: number.sipUri }),
  };
}
