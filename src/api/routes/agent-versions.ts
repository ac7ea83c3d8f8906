import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { AgentConfiguration } from '../../../engine/agent/agent.ts';
import type { AgentPatch, AgentRecord, AgentVersionListing } from '../../storage/agents/agent-repository.ts';
import { agentAnswer } from '../agent-answer.ts';
import {
  checkedConfiguration,
  openedConfiguration,
  sealedConfiguration,
  unmaskedStates,
} from '../agent-configuration.ts';
import type { Api, RouteContext } from '../api.ts';
import { ApiError, notFound } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { envelopeOf, FAILURES, failureSchema, success } from '../envelope.ts';
import { checkKnowledgeBases } from '../knowledge-references.ts';
import { type AgentBody, agentBody, agentPatch, agentSchema, agentVersionSchema } from '../schemas/agent.ts';
import { idParams, queryFlag } from '../schemas/primitives.ts';
import { validationError } from '../validation.ts';

const TAGS = ['Agents'];
/** How often a change is tried anew where another came between; each try means that somebody else got through. */
const UPDATE_TRIES_MAX = 50;
const versionNumber = z.coerce.number().int().min(1).max(2_147_483_647);

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
    schema: {
      operationId: 'updateAgent',
      summary: 'Change an agent',
      description:
        'Fields that are left out stay; null clears an optional one. name, webhook_url, webhook_subscriptions and ' +
        'secure_recording_urls act at once. Every other change makes a version: published, from the active one; with ' +
        'publish=false a draft, from the newest draft that is newer than the active version. 409 where base_version is ' +
        'not the one built on.',
      tags: TAGS,
      params: idParams,
      querystring: z.strictObject({
        publish: queryFlag(true, 'false: the change makes a draft.'),
        base_version: versionNumber.optional().describe('409 where the change would not build on this version.'),
      }),
      body: agentPatch,
      response: { 200: envelopeOf(agentSchema), ...FAILURES, 409: failureSchema },
    },
    handler: async (request) => {
      const { publish, base_version } = request.query;
      for (let tried = 1; ; tried += 1) {
        const agent = await agentOf(context, organizationOf(request), request.params.id);
        const versions = await repositories.agents.versions(agent.id);
        const base = await repositories.agents.findVersion(agent.id, baseOf(agent, versions, publish));
        if (base === null) throw notFound('Version');
        if (base_version !== undefined && base_version !== base.version) throw builtOnAnother(base.version);

        const before = openedConfiguration(base.configuration, secrets);
        const body = patchedBody(agent, before, request.body);
        const { configuration } = checkedConfiguration(body, context);
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
          return success(200, changed ? `Agent changed: version ${data.version}` : 'Agent changed', data);
        }
        // Another change came between. Where the client names no base, its change builds on that one as well.
        if (base_version !== undefined || tried >= UPDATE_TRIES_MAX) throw builtOnAnother(base.version);
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
      summary: "List an agent's versions",
      description: 'Drafts and published ones, newest first.',
      tags: TAGS,
      params: idParams,
      response: { 200: envelopeOf(z.array(agentVersionSchema)), ...FAILURES },
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
      summary: 'Make a version the active one',
      description: 'Calls keep the version that they started with.',
      tags: TAGS,
      params: idParams,
      querystring: z.strictObject({ version: versionNumber.describe('The version that becomes the active one.') }),
      response: { 200: envelopeOf(agentSchema), ...FAILURES },
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
  return agentAnswer(agent, found);
}

/** What a change builds on: the active version, or for a draft the newest draft beyond it. */
function baseOf({ activeVersion }: AgentRecord, versions: readonly AgentVersionListing[], publish: boolean): number {
  const draft = versions.find(({ published, version }) => !published && version > activeVersion);
  return publish || draft === undefined ? activeVersion : draft.version;
}

/** The agent as a client would send it whole, with the fields of the patch in their places. */
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
  const result = agentBody.safeParse(given);
  if (!result.success) throw validationError(result.error.issues);
  return { ...result.data, states: unmaskedStates(result.data.states, before) };
}

function patchOf(patch: Readonly<Record<string, unknown>>, body: AgentBody): AgentPatch {
  return {
    ...('name' in patch && { name: body.name }),
    ...('webhook_url' in patch && { webhookUrl: body.webhook_url }),
    ...('webhook_subscriptions' in patch && { webhookSubscriptions: [...new Set(body.webhook_subscriptions)] }),
    ...('secure_recording_urls' in patch && { secureRecordingUrls: body.secure_recording_urls }),
  };
}

function builtOnAnother(version: number): ApiError {
  return new ApiError('conflict', {
    message: `base_version: the change would build on version ${version}, or it was overtaken`,
  });
}
