import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { checkedConfiguration, sealedConfiguration } from '../agents/agent-configuration.ts';
import { agentFromRecord } from '../agents/agent-from-record.ts';
import { webhookWarnings, withWarnings } from '../agents/agent-warning.ts';
import { checkKnowledgeBases } from '../agents/knowledge-references.ts';
import { refuseUnknownProviders } from '../agents/provider-faults.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import { agentBody, agentSchema, createdAgent, namedAgentSchema } from '../schemas/agent.ts';
import { LIST_MESSAGE, listFields, listResponse, pageOf, pageQuery } from '../schemas/pagination.ts';
import { AGENT_VERSION_MAX, idParams } from '../schemas/primitives.ts';

/** Standard Webhooks recommends 24 to 64 bytes. */
const WEBHOOK_SECRET_BYTES = 32;

const CREATED = 'Agent created';
const FOUND = 'Agent found';
const DELETED = 'Agent deleted';
const SECRET_CREATED = 'Webhook secret created. Store it: it is not shown again';
const NOT_FOUND = failures({ 404: 'Agent not found' });

export function agentRoutes(api: Api, context: RouteContext): void {
  createAgent(api, context);
  getAgent(api, context);
  listAgents(api, context);
  listAgentNames(api, context);
  deleteAgent(api, context);
  renewWebhookSecret(api, context);
}

function createAgent(api: Api, context: RouteContext): void {
  const { authenticate, clock, repositories, secrets } = context;
  api.route({
    method: 'POST',
    url: '/v1/agents',
    onRequest: authenticate('write'),
    preValidation: async ({ body }) => refuseUnknownProviders(body, context.providers),
    config: { creates: true },
    schema: {
      operationId: 'createAgent',
      summary: 'Create an agent',
      description:
        'Creates an agent and publishes its configuration as version 1. Required: `name`, `states` and `initial_state_name`. ' +
        'Mistakes in the conversation graph return 422. Probable mistakes are listed in `warnings` and in `message`.',
      tags: ['Agents'],
      body: agentBody,
      response: { 201: envelopeOf(createdAgent, CREATED), ...FAILURES },
    },
    handler: async (request, reply) => {
      const { body } = request;
      const { configuration, warnings } = checkedConfiguration(body, null, context);
      warnings.push(...webhookWarnings(body, false));
      await checkKnowledgeBases(context, organizationOf(request), configuration, null);
      const id = randomUUID();
      await repositories.agents.create({
        id,
        organizationId: organizationOf(request),
        name: body.name,
        webhookUrl: body.webhook_url,
        webhookSubscriptions: [...new Set(body.webhook_subscriptions)],
        secureRecordingUrls: body.secure_recording_urls,
        configuration: sealedConfiguration(configuration, secrets),
        nowMs: clock.wallMs(),
      });
      // The first agent of an organization without trunks widens the allowed sources (`trunk-source-addresses.ts`).
      await context.reloadAllowedSources();
      const data = { id, name: body.name, ...(warnings.length > 0 && { warnings }) };
      return reply.code(201).send(success(201, withWarnings(CREATED, warnings), data));
    },
  });
}

function getAgent(api: Api, { authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/agents/:id',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getAgent',
      summary: 'Get an agent',
      description: 'Returns the active version, or the version in `version`. Secret headers are shown as `***`.',
      tags: ['Agents'],
      params: idParams('the agent'),
      querystring: z.strictObject({
        version: z.coerce
          .number()
          .int()
          .min(1)
          .max(AGENT_VERSION_MAX)
          .optional()
          .describe('Version to return. Default: the active version.'),
      }),
      response: { 200: envelopeOf(agentSchema, FOUND), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const agent = await repositories.agents.findInOrganization(organizationOf(request), request.params.id);
      if (agent === null) throw notFound('Agent');
      const version = await repositories.agents.findVersion(agent.id, request.query.version ?? agent.activeVersion);
      if (version === null) throw notFound('Version');
      return success(200, FOUND, agentFromRecord(agent, version));
    },
  });
}

function listAgents(api: Api, { authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/agents',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listAgents',
      summary: 'List agents',
      description: 'Returns the agents of your organization in their active versions, newest first.',
      tags: ['Agents'],
      querystring: pageQuery,
      response: { 200: envelopeOf(z.array(agentSchema), LIST_MESSAGE).extend(listFields), ...FAILURES },
    },
    handler: async (request) => {
      const page = pageOf(request.query);
      const found = await repositories.agents.list(organizationOf(request), page);
      const items = await Promise.all(
        found.items.map(async (agent) => {
          const version = await repositories.agents.findVersion(agent.id, agent.activeVersion);
          // The agent was deleted after the list was read.
          return version === null ? [] : [agentFromRecord(agent, version)];
        }),
      );
      return listResponse({ ...found, items: items.flat() }, page, (answer) => answer);
    },
  });
}

function listAgentNames(api: Api, { authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/agents/names',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listAgentNames',
      summary: 'List the names of agents',
      description:
        'Returns the identifiers and names of the agents of your organization, newest first, without their configurations.',
      tags: ['Agents'],
      querystring: pageQuery,
      response: { 200: envelopeOf(z.array(namedAgentSchema), LIST_MESSAGE).extend(listFields), ...FAILURES },
    },
    handler: async (request) => {
      const page = pageOf(request.query);
      const found = await repositories.agents.list(organizationOf(request), page);
      return listResponse(found, page, ({ id, name }) => ({ id, name }));
    },
  });
}

function deleteAgent(api: Api, { authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'DELETE',
    url: '/v1/agents/:id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'deleteAgent',
      summary: 'Delete an agent',
      description:
        'Permanently deletes the agent and all its versions. Calls in progress continue to their end. Call records and transcripts ' +
        'are kept.',
      tags: ['Agents'],
      params: idParams('the agent'),
      response: { 200: envelopeOf(z.null(), DELETED), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const removed = await repositories.agents.remove(organizationOf(request), request.params.id);
      if (!removed) throw notFound('Agent');
      return success(200, DELETED, null);
    },
  });
}

function renewWebhookSecret(api: Api, { authenticate, clock, repositories, secrets }: RouteContext): void {
  api.route({
    method: 'POST',
    url: '/v1/agents/:id/webhook-secret',
    onRequest: authenticate('write'),
    config: { creates: true },
    schema: {
      operationId: 'renewWebhookSecret',
      summary: 'Create a webhook secret',
      description:
        'Creates a new signing secret for the webhooks of the agent and returns it once. Requests are signed with the previous secret, too, for 24 hours.',
      tags: ['Agents'],
      params: idParams('the agent'),
      response: {
        201: envelopeOf(
          z
            .object({
              secret: z.string().describe('Signing secret as Standard Webhooks defines it: `whsec_` and base64.'),
            })
            .meta({
              id: 'WebhookSecret',
              description: 'The created webhook secret.',
              examples: [{ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
            }),
          SECRET_CREATED,
        ),
        ...FAILURES,
        ...NOT_FOUND,
      },
    },
    handler: async (request, reply) => {
      const agent = await repositories.agents.findInOrganization(organizationOf(request), request.params.id);
      if (agent === null) throw notFound('Agent');
      const secret = `whsec_${randomBytes(WEBHOOK_SECRET_BYTES).toString('base64')}`;
      await repositories.webhookSecrets.rotate(agent.id, secrets.seal(secret, 'webhook_secret'), clock.wallMs());
      return reply.code(201).send(success(201, SECRET_CREATED, { secret }));
    },
  });
}
