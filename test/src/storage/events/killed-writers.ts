import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { createOrganizationRepository } from '../../../../src/storage/access/organization-repository.ts';
import type { Database, DatabaseOptions } from '../../../../src/storage/database/database.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../../src/storage/events/webhook-event.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { newCall, START_MS, storeAgent } from '../temporary-database.ts';

const WRITER = fileURLToPath(new URL('./event-writer.ts', import.meta.url));
/** Calls that each kill interrupts. */
const CALLS = 8;

/** Sequences by call, in the order of delivery. */
export type Deliveries = Map<string, number[]>;

export function noteDelivery(deliveries: Deliveries, callId: string, sequence: number): void {
  const of = deliveries.get(callId) ?? [];
  // An event whose mark was lost with the process is delivered again.
  if (of.at(-1) !== sequence) deliveries.set(callId, [...of, sequence]);
}

type Role = 'deliver' | 'write';

function startWriter({ dataDir, databaseUrl }: DatabaseOptions, role: Role, callIds: readonly string[]) {
  const child = spawn(process.execPath, [WRITER, dataDir, databaseUrl ?? '', role, ...callIds], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => void child.kill('SIGKILL');
  onTestFinished(kill);
  return { output: child.stdout, kill, signalled: once(child, 'exit').then(([, signal]) => signal === 'SIGKILL') };
}

/** Two processes write events of the same calls until both are killed, after this many deliveries of the first. */
export async function writeUntilKilled(
  options: DatabaseOptions,
  callIds: readonly string[],
  deliveries: number,
): Promise<Deliveries> {
  const deliverer = startWriter(options, 'deliver', callIds);
  const writer = startWriter(options, 'write', callIds);
  const kill = () => {
    deliverer.kill();
    writer.kill();
  };
  const seen: Deliveries = new Map();
  let lines = 0;
  for await (const line of createInterface({ input: deliverer.output })) {
    const [callId = '', sequence] = line.split(' ');
    noteDelivery(seen, callId, Number(sequence));
    lines += 1;
    if (lines === deliveries) kill();
  }
  kill();
  expect(await Promise.all([deliverer.signalled, writer.signalled]), 'no writer failed').toEqual([true, true]);
  return seen;
}

/** Stores calls in progress of an agent that subscribes to all events. */
export async function openCalls(database: Database, webhookUrl: string): Promise<string[]> {
  await createOrganizationRepository(database).ensureDefault(START_MS);
  const agentId = await storeAgent(database, { webhookUrl, webhookSubscriptions: WEBHOOK_EVENT_TYPES });
  const calls = Array.from({ length: CALLS }, () => newCall(agentId, { status: 'in_progress' }));
  for (const call of calls) await createRepositories(database).calls.createCall(call);
  return calls.map(({ id }) => id);
}
