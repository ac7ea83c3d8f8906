import { randomUUID } from 'node:crypto';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { Database, Step } from '../database/database.ts';
import { insertListed, type Listed, lastListedUs, listed, type Page } from '../database/listing.ts';
import { prepared } from '../database/prepared-statement.ts';
import type { WebhookEventType } from '../events/webhook-event.ts';
import type { AgentTable, AgentVersionTable } from '../schema/tables.ts';
import { storedConfiguration } from './stored-configuration.ts';

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

export interface AgentVersionListing {
  readonly agentId: string;
  readonly version: number;
  readonly configurationId: string;
  readonly published: boolean;
  readonly createdMs: number;
}

export interface AgentVersionRecord extends AgentVersionListing {
  /** Values of secret headers are sealed by `Secrets`. */
  readonly configuration: AgentConfiguration;
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

/** Fields outside the versions: a change acts at once. An absent field stays. */
export type AgentPatch = Partial<
  Pick<AgentRecord, 'name' | 'webhookUrl' | 'webhookSubscriptions' | 'secureRecordingUrls'>
>;

export interface NewAgentVersion {
  readonly version: number;
  readonly configuration: AgentConfiguration;
  /** A published version becomes the active one, if `activeBefore` still is. */
  readonly published: boolean;
  readonly activeBefore: number;
}

/** Agents and the versions of their configuration. All methods reject with a `DatabaseError`. */
export interface AgentRepository {
  /** Creates version 1 too, published and active. */
  create(agent: NewAgent): Promise<void>;
  find(agentId: string): Promise<AgentRecord | null>;
  findInOrganization(organizationId: string, agentId: string): Promise<AgentRecord | null>;
  findVersion(agentId: string, version: number): Promise<AgentVersionRecord | null>;
  findActiveVersion(agentId: string): Promise<AgentVersionRecord | null>;
  list(organizationId: string, page: Page): Promise<Listed<AgentRecord>>;
  /** Newest first, without configurations: the number of versions is unbounded, and each can be 1 MiB long. */
  versions(agentId: string): Promise<AgentVersionListing[]>;
  /**
   * Changes an agent and adds a version, if one is given. False, and nothing changed, if the agent is gone, its active version
   * is another by now, or the version number exists.
   */
  update(agentId: string, patch: AgentPatch, version: NewAgentVersion | null, nowMs: number): Promise<boolean>;
  /** Makes a version the active one and publishes a draft. False: no such version. */
  deploy(agentId: string, version: number, nowMs: number): Promise<boolean>;
  /** Removes versions and secrets too; calls stay. False: no such agent. */
  remove(organizationId: string, agentId: string): Promise<boolean>;
  /** Stops webhooks to this URL (it answered 410) until the URL is set again. No effect if the agent has another URL by now. */
  disableWebhook(agentId: string, url: string, nowMs: number): Promise<void>;
}

export function createAgentRepository(database: Database): AgentRepository {
  return { ...agentReads(database), ...agentChanges(database), ...versionChanges(database) };
}

const FIND = prepared<{ agentId: string }>()((query, slot) =>
  query.selectFrom('agents').selectAll().where('id', '=', slot('agentId')),
);

const FIND_ACTIVE_VERSION = prepared<{ agentId: string }>()((query, slot) =>
  query
    .selectFrom('agent_versions')
    .selectAll()
    .where('agent_id', '=', slot('agentId'))
    .where('version', '=', (eb) => eb.selectFrom('agents').select('active_version').where('id', '=', slot('agentId'))),
);

const FIND_VERSION = prepared<{ agentId: string; version: number }>()((query, slot) =>
  query
    .selectFrom('agent_versions')
    .selectAll()
    .where('agent_id', '=', slot('agentId'))
    .where('version', '=', slot('version')),
);

function agentReads(
  database: Database,
): Pick<AgentRepository, 'find' | 'findInOrganization' | 'findVersion' | 'findActiveVersion' | 'list' | 'versions'> {
  const { query } = database;
  return {
    find: (agentId) => findAgent(database, agentId),
    findInOrganization: async (organizationId, agentId) => {
      const agent = await findAgent(database, agentId);
      return agent?.organizationId === organizationId ? agent : null;
    },
    findVersion: async (agentId, version) => {
      const [row] = await database.rows(FIND_VERSION.with({ agentId, version }));
      return row === undefined ? null : readVersion(row);
    },
    findActiveVersion: async (agentId) => {
      const [row] = await database.rows(FIND_ACTIVE_VERSION.with({ agentId }));
      return row === undefined ? null : readVersion(row);
    },
    list: (organizationId, page) => {
      const all = query.selectFrom('agents').where('organization_id', '=', organizationId);
      const newest = all.selectAll().orderBy('listed_us', 'desc').limit(page.limit);
      const queries = {
        before: (placeUs: number) => newest.where('listed_us', '<', placeUs).execute(),
        from: (offset: number) => newest.offset(offset).execute(),
        count: () => all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      };
      return listed(page, queries, readAgent);
    },
    versions: async (agentId) => {
      const rows = await query
        .selectFrom('agent_versions')
        .select(['agent_id', 'version', 'configuration_id', 'published', 'created_ms'])
        .where('agent_id', '=', agentId)
        .orderBy('version', 'desc')
        .execute();
      return rows.map(readListing);
    },
  };
}

function agentChanges(database: Database): Pick<AgentRepository, 'create' | 'remove' | 'disableWebhook'> {
  const { query } = database;
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
      const version = versionRow(agent.id, 1, agent.configuration, true, agent.nowMs);
      await insertListed(database, agent.organizationId, agent.nowMs, [
        { statement: insert },
        { statement: query.insertInto('agent_versions').values(version) },
      ]);
    },
    remove: async (organizationId, agentId) => {
      const result = await query
        .deleteFrom('agents')
        .where('id', '=', agentId)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    disableWebhook: async (agentId, url, nowMs) => {
      await query
        .updateTable('agents')
        .set({ webhook_disabled_ms: nowMs })
        .where('id', '=', agentId)
        .where('webhook_url', '=', url)
        .execute();
    },
  };
}

function versionChanges(database: Database): Pick<AgentRepository, 'update' | 'deploy'> {
  const { query } = database;
  return {
    update: (agentId, patch, version, nowMs) => {
      const active = version?.published === true ? { active_version: version.version } : {};
      const change = query
        .updateTable('agents')
        .set({ ...patchColumns(patch), ...active, updated_ms: nowMs })
        .where('id', '=', agentId)
        .$if(version !== null, (some) => some.where('active_version', '=', version?.activeBefore ?? 0));
      const steps: Step[] = [{ statement: change, mustChange: true }];
      if (version !== null) {
        const row = versionRow(agentId, version.version, version.configuration, version.published, nowMs);
        const insert = query
          .insertInto('agent_versions')
          .values(row)
          .onConflict((conflict) => conflict.doNothing());
        steps.push({ statement: insert, mustChange: true });
      }
      return database.atomically(steps);
    },
    deploy: (agentId, version, nowMs) => {
      const publish = query
        .updateTable('agent_versions')
        .set({ published: 1 })
        .where('agent_id', '=', agentId)
        .where('version', '=', version);
      const activate = query
        .updateTable('agents')
        .set({ active_version: version, updated_ms: nowMs })
        .where('id', '=', agentId);
      return database.atomically([
        { statement: publish, mustChange: true },
        { statement: activate, mustChange: true },
      ]);
    },
  };
}

async function findAgent(database: Database, agentId: string): Promise<AgentRecord | null> {
  const [row] = await database.rows(FIND.with({ agentId }));
  return row === undefined ? null : readAgent(row);
}

/** Setting the URL enables a disabled webhook again. */
function patchColumns(patch: AgentPatch): Partial<AgentTable> {
  return {
    ...(patch.name !== undefined && { name: patch.name }),
    ...(patch.webhookUrl !== undefined && { webhook_url: patch.webhookUrl, webhook_disabled_ms: null }),
    ...(patch.webhookSubscriptions !== undefined && {
      webhook_subscriptions_json: JSON.stringify(patch.webhookSubscriptions),
    }),
    ...(patch.secureRecordingUrls !== undefined && { secure_recording_urls: patch.secureRecordingUrls ? 1 : 0 }),
  };
}

function versionRow(
  agentId: string,
  version: number,
  configuration: AgentConfiguration,
  published: boolean,
  nowMs: number,
): AgentVersionTable {
  return {
    agent_id: agentId,
    version,
    configuration_id: randomUUID(),
    configuration_json: JSON.stringify(configuration),
    published: published ? 1 : 0,
    created_ms: nowMs,
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

function readListing(row: Omit<AgentVersionTable, 'configuration_json'>): AgentVersionListing {
  return {
    agentId: row.agent_id,
    version: row.version,
    configurationId: row.configuration_id,
    published: row.published === 1,
    createdMs: row.created_ms,
  };
}

function readVersion(row: AgentVersionTable): AgentVersionRecord {
  return { ...readListing(row), configuration: storedConfiguration(row) };
}
