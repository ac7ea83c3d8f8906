import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { CallWriter } from '../../src/calls/journal/call-writer.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../src/storage/access/organization-repository.ts';
import { openDatabase } from '../../src/storage/database/database.ts';
import { createRepositories } from '../../src/storage/repositories.ts';
import { startWorker } from '../../src/storage/sqlite/worker-link.ts';
import type { WorkerRequest } from '../../src/storage/sqlite/worker-protocol.ts';
import { type RecordedCall, recordedCall } from './recorded-calls.ts';

export interface StorageTraffic {
  readonly turns: number;
  /** Traffic of the whole call. */
  readonly call: Traffic;
  /** Traffic of its journal alone. */
  readonly journal: Traffic;
}

/** From the main thread to the workers of SQLite. */
export interface Traffic {
  readonly messages: number;
  readonly transactions: number;
  readonly statements: number;
  readonly bytes: number;
}

/** The writer gathers entries for this long, µs: entries that follow each other more closely share a transaction. */
const GATHER_US = 50_000;
/** Call, agent and times have the same length in every run. */
const START_MS = Date.UTC(2026, 0, 1);

/** Stores one recorded call on SQLite as the service does, from its INVITE to its end, and counts what crosses to the database's threads. */
export async function storageTraffic(): Promise<StorageTraffic> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-bench-'));
  const counter = new TrafficCounter();
  const database = await openDatabase({ dataDir, startWorker: (settings) => counter.watch(startWorker(settings)) });
  try {
    const repositories = createRepositories(database);
    const recorded = recordedCall('booking');
    const callId = await storedCall(repositories, recorded, counter);
    const started = counter.total;
    await storeJournal(repositories, callId, recorded);
    const journaled = counter.total;
    await repositories.calls.finish(callId, {
      status: 'completed',
      endReason: 'caller_hangup',
      atMs: START_MS + 60_000,
    });
    const turns = recorded.tape.entries.flatMap(journalOf).filter(({ type }) => type === 'turn').length;
    return { turns, call: counter.total, journal: difference(journaled, started) };
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

type Repositories = ReturnType<typeof createRepositories>;

async function storedCall(
  { agents, calls, organizations }: Repositories,
  { agent }: RecordedCall,
  counter: TrafficCounter,
): Promise<string> {
  await organizations.ensureDefault(START_MS);
  const agentId = randomUUID();
  await agents.create({
    id: agentId,
    organizationId: DEFAULT_ORGANIZATION_ID,
    name: 'Bench agent',
    webhookUrl: null,
    webhookSubscriptions: [],
    secureRecordingUrls: false,
    configuration: agent,
    nowMs: START_MS,
  });
  counter.reset();
  const id = randomUUID();
  await calls.createCall({
    id,
    organizationId: DEFAULT_ORGANIZATION_ID,
    agentId,
    agentVersion: 1,
    type: 'phone_call',
    direction: 'inbound',
    status: 'ringing',
    fromNumber: '+4915112345678',
    toNumber: '+493012345678',
    dynamicVariables: {},
    idempotent: null,
    nowMs: START_MS,
  });
  await calls.setStatus(id, { from: ['ringing'], to: 'in_progress', atMs: START_MS, patch: { sipCallId: id } });
  return id;
}

async function storeJournal({ calls, journal }: Repositories, callId: string, { tape }: RecordedCall): Promise<void> {
  const onLost = (what: string, error: unknown) => {
    throw new Error(`${what} was not stored`, { cause: error });
  };
  const options = { callId, calls, journal, startedWallMs: START_MS, onStored: () => {}, onLost, onRefused: () => {} };
  const writer = new CallWriter(options);
  let gatheredUs = Number.NEGATIVE_INFINITY;
  for (const entry of tape.entries) {
    const written = journalOf(entry);
    if (written.length === 0) continue;
    if (entry.atUs - gatheredUs > GATHER_US) {
      await writer.flushed();
      gatheredUs = entry.atUs;
    }
    for (const one of written) writer.write(one);
  }
  await writer.flushed();
}

function journalOf({ commands }: RecordedCall['tape']['entries'][number]) {
  return commands.flatMap((command) =>
    command.type === 'journal.write' && command.entry.type !== 'ended' ? [command.entry] : [],
  );
}

class TrafficCounter {
  total: Traffic = { messages: 0, transactions: 0, statements: 0, bytes: 0 };

  reset(): void {
    this.total = { messages: 0, transactions: 0, statements: 0, bytes: 0 };
  }

  watch<T extends { postMessage(message: unknown): void }>(worker: T): T {
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message: WorkerRequest) => {
      this.#count(message);
      post(message);
    };
    return worker;
  }

  #count(message: WorkerRequest): void {
    const batches = message.type === 'run' ? message.batches : [];
    const { bytes, messages, statements, transactions } = this.total;
    this.total = {
      messages: messages + 1,
      transactions: transactions + batches.length,
      statements: statements + batches.reduce((sum, batch) => sum + batch.statements.length, 0),
      bytes: bytes + serialize(message).length,
    };
  }
}

function difference(after: Traffic, before: Traffic): Traffic {
  return {
    messages: after.messages - before.messages,
    transactions: after.transactions - before.transactions,
    statements: after.statements - before.statements,
    bytes: after.bytes - before.bytes,
  };
}
