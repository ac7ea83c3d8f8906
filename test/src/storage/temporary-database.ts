import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type AgentConfiguration, agentConfigurationSchema } from '../../../engine/agent/agent.ts';
import { createAgentRepository, type NewAgent } from '../../../src/storage/agent-repository.ts';
import type { NewCall } from '../../../src/storage/call-repository.ts';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { createOrganizationRepository, DEFAULT_ORGANIZATION_ID } from '../../../src/storage/organization-repository.ts';
import type { StartWorker } from '../../../src/storage/worker-link.ts';

/** 2026-01-01T00:00:00Z: when tests of storage begin. */
export const START_MS = Date.UTC(2026, 0, 1);

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A database of its own with the default organization; closed and removed with the test. */
export async function temporaryDatabase(startWorker?: StartWorker): Promise<Database> {
  const dataDir = await temporaryFolder();
  const database = await openDatabase({ dataDir, ...(startWorker !== undefined && { startWorker }) });
  onTestFinished(() => database.close());
  await createOrganizationRepository(database).ensureDefault(START_MS);
  return database;
}

export const testConfiguration: AgentConfiguration = agentConfigurationSchema.parse({
  voice: { provider: 'deepgram', name: 'aura' },
  llm: { model: 'gpt' },
  transcriber: { provider: 'deepgram' },
  states: [{ name: 'start', prompt: 'Greet.' }],
  initial_state_name: 'start',
});

/** Stores an agent and answers its id. */
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
    nowMs: START_MS,
    ...fields,
  };
}
