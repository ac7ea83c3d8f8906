import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { type AgentConfiguration, agentConfigurationSchema } from '../../../engine/agent/agent-schema.ts';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../../src/storage/access/organization-repository.ts';
import { createAgentRepository, type NewAgent } from '../../../src/storage/agents/agent-repository.ts';
import type { NewCall } from '../../../src/storage/calls/new-call.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../../src/storage/database/database.ts';
import type { DatabaseKind } from '../../../src/storage/link/database-link.ts';
import type { StartWorker } from '../../../src/storage/sqlite/worker-link.ts';
import { hasPostgres } from '../../postgres/temporary-postgres.ts';
import { borrowDatabase } from './database-pool.ts';

/** Start time of storage tests: 2026-01-01T00:00:00Z. */
export const START_MS = Date.UTC(2026, 0, 1);

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A SQLite database with the default organization, for this test only. */
export async function temporaryDatabase(startWorker?: StartWorker): Promise<Database> {
  if (startWorker !== undefined) return opened({ dataDir: await temporaryFolder(), startWorker });
  return withOrganization(await borrowedDatabase('sqlite'));
}

/** A PostgreSQL database with the default organization, for this test only. */
export async function temporaryPostgres(databaseUrl?: string): Promise<Database> {
  if (databaseUrl !== undefined) return opened({ dataDir: '', databaseUrl });
  return withOrganization(await borrowedDatabase('postgres'));
}

async function borrowedDatabase(kind: DatabaseKind): Promise<Database> {
  const { database, giveBack } = await borrowDatabase(kind);
  onTestFinished(giveBack);
  return database;
}

async function opened(options: DatabaseOptions): Promise<Database> {
  const database = await openDatabase(options);
  onTestFinished(() => database.close());
  return withOrganization(database);
}

async function withOrganization(database: Database): Promise<Database> {
  await createOrganizationRepository(database).ensureDefault(START_MS);
  return database;
}

/** The storage contract: the same tests on SQLite and, if it is installed, on PostgreSQL. */
export function onEachDatabase(suite: (temporaryDatabase: () => Promise<Database>) => void): void {
  describe('on SQLite', () => suite(() => temporaryDatabase()));
  describe.skipIf(!hasPostgres())('on PostgreSQL', () => suite(() => temporaryPostgres()));
}

export const testConfiguration: AgentConfiguration = agentConfigurationSchema.parse({
  voice: { provider: 'deepgram', name: 'aura' },
  llm: { model: 'gpt' },
  transcriber: { provider: 'deepgram' },
  states: [{ name: 'start', prompt: 'Greet.' }],
  initial_state_name: 'start',
});

/** Stores an agent and returns its id. */
export async function storeAgent(database: Database, fields: Partial<NewAgent> = {}): Promise<string> {
  const id = randomUUID();
  await createAgentRepository(database).create({
    id,
    organizationId: DEFAULT_ORGANIZATION_ID,
    name: 'Test agent',
    webhookUrl: null,
    webhookSubscriptions: [],
    secureRecordingUrls: false,
    configuration: testConfiguration,
    nowMs: START_MS,
    ...fields,
  });
  return id;
}

export function newCall(agentId: string, fields: Partial<NewCall> = {}): NewCall {
  return {
    id: randomUUID(),
    organizationId: DEFAULT_ORGANIZATION_ID,
    agentId,
    agentVersion: 1,
    type: 'phone_call',
    direction: 'inbound',
    status: 'initiated',
    fromNumber: '+4915112345678',
    toNumber: '+493012345678',
    dynamicVariables: {},
    idempotent: null,
    nowMs: START_MS,
    ...fields,
  };
}
