import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { AgentPatch, AgentRecord, AgentVersionListing } from '../../storage/agents/agent-repository.ts';
import { PLAIN_MESSAGES } from '../../validation/issue-message.ts';
import { checkedConfiguration, openedConfiguration, sealedConfiguration } from '../agents/agent-configuration.ts';
import { agentFromRecord } from '../agents/agent-from-record.ts';
import { completedVoice } from '../agents/agent-voice.ts';
import { webhookWarnings, withWarnings } from '../agents/agent-warning.ts';
import { checkKnowledgeBases } from '../agents/knowledge-references.ts';
import { refuseUnknownProviders } from '../agents/provider-faults.ts';
import { unmaskedStates } from '../agents/unmasked-states.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { validationError } from '../errors/validation.ts';
import { organizationOf } from '../requests/authentication.ts';
import { type AgentBody, agentBody, agentPatch, agentSchema, agentVersionSchema } from '../schemas/agent.ts';
import { LIST_MESSAGE } from '../schemas/pagination.ts';
import { AGENT_VERSION_MAX, idParams, queryFlag } from '../schemas/primitives.ts';

const TAGS = ['Agents'];
const UPDATED = 'Agent updated';
const NOT_FOUND = failures({ 404: 'Agent not found' });
const CONFLICT = failures({ 409: conflictMessage(3) });
/** Attempts to store one change. Each failed attempt means that a concurrent change succeeded. */
const UPDATE_TRIES_MAX = 50;
const versionNumber = z.coerce.number().int().min(1).max(AGENT_VERSION_MAX);

export function agentVersionRoutes(api: Api, context: RouteContext): void {
  updateAgent(api, context);
  listVersions(api, context);
  deployVersion(api, context);
}

function updateAgent(api: Api, context: RouteContext): void {
  const { authenticate, clock, repositories, secrets } = context;
  api.route({
    method: 'PATCH',
    url: '/v1/agents/:id',
    onRequest: authenticate('write'),
    preValidation: async ({ body }) => refuseUnknownProviders(body, context.providers),
    schema: {
      operationId: 'updateAgent',
      summary: 'Update an agent',
      description:
        'Omitted fields keep their values; null resets a field to its default. Changes of `name`, `webhook_url`, ' +
        '`webhook_subscriptions` and `secure_recording_urls` apply at once and create no version. Every other change creates a ' +
        'version. By default it is based on the active version and published. With `publish=false` it becomes a draft, based on ' +
        'the newest draft if that is newer than the active version.',
      tags: TAGS,
      params: idParams('the agent'),
      querystring: z.strictObject({
        publish: queryFlag(true, 'true: publish the new version. false: keep it as a draft.'),
        base_version: versionNumber
          .optional()
          .describe(
            'Expected base version. The request fails with 409 if the change would be based on another version.',
          ),
      }),
      body: agentPatch,
      response: { 200: envelopeOf(agentSchema, `${UPDATED}: version 3`), ...FAILURES, ...NOT_FOUND, ...CONFLICT },
    },
    handler: async (request) => {
      const { publish, base_version } = request.query;
      for (let tried = 1; ; tried += 1) {
        const agent = await agentOf(context, organizationOf(request), request.params.id);
        const versions = await repositories.agents.versions(agent.id);
        const base = await repositories.agents.findVersion(agent.id, baseOf(agent, versions, publish));
        if (base === null) throw notFound('Version');
        if (base_version !== undefined && base_version !== base.version) throw baseConflict(base.version);

        const before = openedConfiguration(base.configuration, secrets);
        const body = patchedBody(agent, before, request.body);
        const { configuration, warnings } = checkedConfiguration(body, before, context);
        const changed = !isDeepStrictEqual(configuration, before);
        if (changed) await checkKnowledgeBases(context, agent.organizationId, configuration, before);
        const version = changed
          ? {
              version: (versions[0]?.version ?? 0) + 1,
              configuration: sealedConfiguration(configuration, secrets),
              published: publish,
              activeBefore: agent.activeVersion,
            }
          : null;
        const patch = patchOf(request.body, body);
        if (await repositories.agents.update(agent.id, patch, version, clock.wallMs())) {
          const data = await answerOf(context, agent.id, version?.version ?? base.version);
          if (body.webhook_url !== null) warnings.push(...webhookWarnings(body, await hasSecret(context, agent.id)));
          const message = changed ? `${UPDATED}: version ${data.version}` : UPDATED;
          return success(200, withWarnings(message, warnings), { ...data, ...(warnings.length > 0 && { warnings }) });
        }
        // A concurrent change won. Without base_version the change is applied on top of it.
        if (base_version !== undefined || tried >= UPDATE_TRIES_MAX) throw baseConflict(base.version);
      }
    },
  });
}

function listVersions(api: Api, context: RouteContext): void {
  const { authenticate, repositories } = context;
  api.route({
    method: 'GET',
    url: '/v1/agents/:id/versions',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listVersions',
      summary: 'List the versions of an agent',
      description: 'Returns all versions, drafts and published ones, newest first.',
      tags: TAGS,
      params: idParams('the agent'),
      response: { 200: envelopeOf(z.array(agentVersionSchema), LIST_MESSAGE), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const agent = await agentOf(context, organizationOf(request), request.params.id);
      const versions = await repositories.agents.versions(agent.id);
      const data = versions.map(({ version, configurationId, createdMs, published }) => ({
        version,
        configuration_id: configurationId,
        created_at: new Date(createdMs).toISOString(),
        active: version === agent.activeVersion,
        published,
      }));
      return success(200, `${data.length} found`, data);
    },
  });
}

function deployVersion(api: Api, context: RouteContext): void {
  const { authenticate, clock, repositories } = context;
  api.route({
    method: 'POST',
    url: '/v1/agents/:id/deploy',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'deployVersion',
      summary: 'Deploy a version of an agent',
      description:
        'Makes the version the active one and publishes it if it is a draft. New calls use it; existing calls keep their version.',
      tags: TAGS,
      params: idParams('the agent'),
      querystring: z.strictObject({ version: versionNumber.describe('Version to deploy.') }),
      response: { 200: envelopeOf(agentSchema, 'Version 3 is active'), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const agent = await agentOf(context, organizationOf(request), request.params.id);
      const { version } = request.query;
      const deployed = await repositories.agents.deploy(agent.id, version, clock.wallMs());
      if (!deployed) throw notFound('Version');
      return success(200, `Version ${version} is active`, await answerOf(context, agent.id, version));
    },
  });
}

/** Whether the agent's webhook events are signed. */
async function hasSecret({ clock, repositories }: RouteContext, agentId: string): Promise<boolean> {
  return (await repositories.webhookSecrets.signing(agentId, clock.wallMs())).length > 0;
}

async function agentOf({ repositories }: RouteContext, organizationId: string, id: string): Promise<AgentRecord> {
  const agent = await repositories.agents.findInOrganization(organizationId, id);
  if (agent === null) throw notFound('Agent');
  return agent;
}

async function answerOf({ repositories }: RouteContext, agentId: string, version: number) {
  const [agent, found] = await Promise.all([
    repositories.agents.find(agentId),
    repositories.agents.findVersion(agentId, version),
  ]);
  if (agent === null || found === null) throw notFound('Agent');
  return agentFromRecord(agent, found);
}

/** Base version of a change: the active version, or for a draft the newest draft that is newer than it. */
function baseOf({ activeVersion }: AgentRecord, versions: readonly AgentVersionListing[], publish: boolean): number {
  const draft = versions.find(({ published, version }) => !published && version > activeVersion);
  return publish || draft === undefined ? activeVersion : draft.version;
}

/** The whole agent as a create request would send it, with the fields of the patch replaced. */
function patchedBody(
  agent: AgentRecord,
  before: AgentConfiguration,
  patch: Readonly<Record<string, unknown>>,
): AgentBody {
  const { transcriber, ...rest } = before;
  const whole: Record<string, unknown> = {
    ...rest,
    ...(patch.transcriber_configuration === undefined && { transcriber }),
    name: agent.name,
    webhook_url: agent.webhookUrl,
    webhook_subscriptions: agent.webhookSubscriptions,
    secure_recording_urls: agent.secureRecordingUrls,
    ...patch,
  };
  const given = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null));
  const result = agentBody.safeParse(given, PLAIN_MESSAGES);
  if (!result.success) throw validationError(result.error.issues);
  const { states, voice } = result.data;
  return {
    ...result.data,
    states: unmaskedStates(states, before),
    ...(voice !== undefined && { voice: completedVoice(voice, before.voice) }),
  };
}

function patchOf(patch: Readonly<Record<string, unknown>>, body: AgentBody): AgentPatch {
  return {
    ...('name' in patch && { name: body.name }),
    ...('webhook_url' in patch && { webhookUrl: body.webhook_url }),
    ...('webhook_subscriptions' in patch && { webhookSubscriptions: [...new Set(body.webhook_subscriptions)] }),
    ...('secure_recording_urls' in patch && { secureRecordingUrls: body.secure_recording_urls }),
  };
}

function baseConflict(version: number): ApiError {
  return new ApiError('conflict', { message: conflictMessage(version) });
}

function conflictMessage(version: number): string {
  return `The base version is ${version}, not base_version, or the agent was changed at the same time: read it and retry`;
}
