import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { agentAnswer } from '../agent-answer.ts';
import { checkedConfiguration, sealedConfiguration } from '../agent-configuration.ts';
import type { Api, RouteContext } from '../api.ts';
import { notFound } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { envelopeOf, FAILURES, success } from '../envelope.ts';
import { checkKnowledgeBases } from '../knowledge-references.ts';
import { agentBody, agentSchema, createdAgent } from '../schemas/agent.ts';
import { listAnswer, listFields, pageOf, pageQuery } from '../schemas/pagination.ts';
import { idParams } from '../schemas/primitives.ts';

/** Standard Webhooks asks for 24 to 64 bytes. */
const WEBHOOK_SECRET_BYTES = 32;
const VERSION_MAX = 2_147_483_647;

export function agentRoutes(api: Api, context: RouteContext): void {
  createAgent(api, context);
  getAgent(api, context);
  listAgents(api, context);
  deleteAgent(api, context);
  renewWebhookSecret(api, context);
}

function createAgent(api: Api, context: RouteContext): void {
  const { authenticate, clock, repositories, secrets } = context;
  api.route({
    method: 'POST',
    url: '/v1/agents',
    onRequest: authenticate('write'),
    config: { creates: true },
    schema: {
      operationId: 'createAgent',
      summary: 'Create an agent',
      description:
        'Required are name, states and initial_state_name; all else has a default. Makes version 1 and publishes it.',
      tags: ['Agents'],
      body: agentBody,
      response: { 201: envelopeOf(createdAgent), ...FAILURES },
    },
    handler: async (request, reply) => {
      const { body } = request;
      const { configuration, warnings } = checkedConfiguration(body, context);
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
      await context.onCallersChanged();
      const told = warnings.map(({ field, message }) => ` Warning: ${field}: ${message}.`).join('');
      const data = { id, name: body.name, ...(warnings.length > 0 && { warnings: [...warnings] }) };
      return reply.code(201).send(success(201, `Agent created.${told}`, data));
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
      description: 'The active version, or the one asked for.',
      tags: ['Agents'],
      params: idParams,
      querystring: z.strictObject({
        version: z.coerce.number().int().min(1).max(VERSION_MAX).optional().describe('Left out: the active one.'),
      }),
      response: { 200: envelopeOf(agentSchema), ...FAILURES },
    },
    handler: async (request) => {
      const agent = await repositories.agents.findInOrganization(organizationOf(request), request.params.id);
      if (agent === null) throw notFound('Agent');
      const version = await repositories.agents.findVersion(agent.id, request.query.version ?? agent.activeVersion);
      if (version === null) throw notFound('Version');
      return success(200, 'Agent found', agentAnswer(agent, version));
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
      description: 'In their active versions, newest first, in pages; with use_cursor, by cursor.',
      tags: ['Agents'],
      querystring: pageQuery,
      response: { 200: envelopeOf(z.array(agentSchema)).extend(listFields), ...FAILURES },
    },
    handler: async (request) => {
      const page = pageOf(request.query);
      const found = await repositories.agents.list(organizationOf(request), page);
      const items = await Promise.all(
        found.items.map(async (agent) => {
          const version = await repositories.agents.findVersion(agent.id, agent.activeVersion);
          // An agent that was deleted since the list was read has no version any more.
          return version === null ? [] : [agentAnswer(agent, version)];
        }),
      );
      return listAnswer({ ...found, items: items.flat() }, page, (answer) => answer);
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
        'With all its versions, for ever. Calls in progress go on to their end; records and transcripts stay.',
      tags: ['Agents'],
      params: idParams,
      response: { 200: envelopeOf(z.null()), ...FAILURES },
    },
    handler: async (request) => {
      const removed = await repositories.agents.remove(organizationOf(request), request.params.id);
      if (!removed) throw notFound('Agent');
      return success(200, 'Agent deleted', null);
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
      summary: "Make a new secret for an agent's webhooks",
      description: 'Answered this once. The secret before it goes on signing for 24 h.',
      tags: ['Agents'],
      params: idParams,
      response: {
        201: envelopeOf(
          z
            .object({ secret: z.string().describe('whsec_ and base64, as Standard Webhooks writes it.') })
            .meta({ examples: [{ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }] }),
        ),
        ...FAILURES,
      },
    },
    handler: async (request, reply) => {
      const agent = await repositories.agents.findInOrganization(organizationOf(request), request.params.id);
      if (agent === null) throw notFound('Agent');
      const secret = `whsec_${randomBytes(WEBHOOK_SECRET_BYTES).toString('base64')}`;
      await repositories.webhookSecrets.rotate(agent.id, secrets.seal(secret, 'webhook_secret'), clock.wallMs());
      return reply.code(201).send(success(201, 'Webhook secret made; it is not shown again', { secret }));
    },
  });
}
