import { randomUUID } from 'node:crypto';
import type { AgentConfiguration } from '../../engine/agent/agent.ts';
import type { Database } from './database.ts';
import { insertListed, lastListedUs } from './listing.ts';
import type { AgentTable, AgentVersionTable } from './tables.ts';
import type { WebhookEventType } from './webhook-event.ts';

export interface AgentRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly webhookUrl: string | null;
  readonly webhookSubscriptions: readonly WebhookEventType[];
  readonly secureRecordingUrls: boolean;
  readonly activeVersion: number;
  readonly createdMs: number;
  readonly updatedMs: number;
}

export interface AgentVersionRecord {
  readonly agentId: string;
  readonly version: number;
  readonly configurationId: string;
  /** Values of secret headers are sealed by `Secrets`. */
  readonly configuration: AgentConfiguration;
  readonly published: boolean;
  readonly createdMs: number;
}

export interface NewAgent {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly webhookUrl: string | null;
  readonly webhookSubscriptions: readonly WebhookEventType[];
  readonly secureRecordingUrls: boolean;
  readonly configuration: AgentConfiguration;
  readonly nowMs: number;
}

/** Agents and the versions of their configuration. All methods reject with a `DatabaseError`. */
export interface AgentRepository {
  /** With version 1, published and active. */
  create(agent: NewAgent): Promise<void>;
  find(agentId: string): Promise<AgentRecord | null>;
  findInOrganization(organizationId: string, agentId: string): Promise<AgentRecord | null>;
  findVersion(agentId: string, version: number): Promise<AgentVersionRecord | null>;
  /** Stops events to the agent's receiver (it answered 410) until its URL is set again. */
  disableWebhook(agentId: string, nowMs: number): Promise<void>;
}

export function createAgentRepository(database: Database): AgentRepository {
  const { query } = database;

  const find = async (agentId: string): Promise<AgentRecord | null> => {
    const row = await query.selectFrom('agents').selectAll().where('id', '=', agentId).executeTakeFirst();
    return row === undefined ? null : readAgent(row);
  };

  return {
    create: async (agent) => {
      const insert = query.insertInto('agents').values({
        id: agent.id,
        organization_id: agent.organizationId,
        name: agent.name,
        webhook_url: agent.webhookUrl,
        webhook_subscriptions_json: JSON.stringify(agent.webhookSubscriptions),
        webhook_disabled_ms: null,
        secure_recording_urls: agent.secureRecordingUrls ? 1 : 0,
        active_version: 1,
        listed_us: lastListedUs(query, agent.organizationId),
        created_ms: agent.nowMs,
        updated_ms: agent.nowMs,
      });
      const version: AgentVersionTable = {
        agent_id: agent.id,
        version: 1,
        configuration_id: randomUUID(),
        configuration_json: JSON.stringify(agent.configuration),
        published: 1,
        created_ms: agent.nowMs,
      };
      await insertListed(database, agent.organizationId, agent.nowMs, [
        { statement: insert },
        { statement: query.insertInto('agent_versions').values(version) },
      ]);
    },
    find,
    findInOrganization: async (organizationId, agentId) => {
      const agent = await find(agentId);
      return agent?.organizationId === organizationId ? agent : null;
    },
    findVersion: async (agentId, version) => {
      const row = await query
        .selectFrom('agent_versions')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('version', '=', version)
        .executeTakeFirst();
      return row === undefined ? null : readVersion(row);
    },
    disableWebhook: async (agentId, nowMs) => {
      await query.updateTable('agents').set({ webhook_disabled_ms: nowMs }).where('id', '=', agentId).execute();
    },
  };
}

function readAgent(row: AgentTable): AgentRecord {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    webhookUrl: row.webhook_url,
    webhookSubscriptions: JSON.parse(row.webhook_subscriptions_json),
    secureRecordingUrls: row.secure_recording_urls === 1,
    activeVersion: row.active_version,
    createdMs: row.created_ms,
    updatedMs: row.updated_ms,
  };
}

function readVersion(row: AgentVersionTable): AgentVersionRecord {
  return {
    agentId: row.agent_id,
    version: row.version,
    configurationId: row.configuration_id,
    configuration: JSON.parse(row.configuration_json),
    published: row.published === 1,
    createdMs: row.created_ms,
  };
}
