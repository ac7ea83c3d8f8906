import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOrganizationRepository } from '../../../../src/storage/access/organization-repository.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../../../src/storage/database/database.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../../src/storage/events/webhook-event.ts';
import { createRepositories, type Repositories } from '../../../../src/storage/repositories.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../../postgres/temporary-postgres.ts';
import { newCall, START_MS, storeAgent, temporaryFolder } from '../temporary-database.ts';

const WRITER = fileURLToPath(new URL('./event-writer.ts', import.meta.url));
/** Calls that each kill interrupts. */
const CALLS = 8;
const KILLS = 3;
/** Deliveries before the kill. */
const delivered = fc.integer({ min: 1, max: 120 });
const ATTEMPT = { attemptedMs: 0, durationMs: 1, httpStatus: 204, outcome: '' };

/** Sequences by call, in the order of delivery. */
type Deliveries = Map<string, number[]>;

function note(deliveries: Deliveries, callId: string, sequence: number): void {
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
async function writeUntilKilled(
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
    note(seen, callId, Number(sequence));
    lines += 1;
    if (lines === deliveries) kill();
  }
  kill();
  expect(await Promise.all([deliverer.signalled, writer.signalled]), 'no writer failed').toEqual([true, true]);
  return seen;
}

/** What the next process does: ends the calls, and delivers all events. */
async function recover({ calls, outbox }: Repositories, deliveries: Deliveries): Promise<void> {
  for (const { id } of await calls.callsInFlight()) {
    await calls.finish(id, { status: 'completed', endReason: 'shutdown', atMs: Date.now() });
  }
  for (;;) {
    const due = await outbox.dueDeliveries(Date.now(), 100);
    if (due.length === 0) return;
    for (const { callId, sequence } of due) note(deliveries, callId, sequence);
    await Promise.all(due.map(({ id }) => outbox.markDelivered(id, ATTEMPT)));
  }
}

async function openCalls(database: Database): Promise<string[]> {
  await createOrganizationRepository(database).ensureDefault(START_MS);
  const webhook = { webhookUrl: 'https://receiver.test/', webhookSubscriptions: WEBHOOK_EVENT_TYPES };
  const agentId = await storeAgent(database, webhook);
  const calls = Array.from({ length: CALLS }, () => newCall(agentId, { status: 'in_progress' }));
  for (const call of calls) await createRepositories(database).calls.createCall(call);
  return calls.map(({ id }) => id);
}

async function storedSequences({ query }: Database, callId: string): Promise<number[]> {
  const rows = await query
    .selectFrom('call_events')
    .select('sequence')
    .where('call_id', '=', callId)
    .orderBy('sequence')
    .execute();
  return rows.map(({ sequence }) => sequence);
}

describe.each([
  ['SQLite', async () => ({ dataDir: await temporaryFolder() })],
  ...(hasPostgres()
    ? [['PostgreSQL', async () => ({ dataDir: '', databaseUrl: await temporaryPostgresUrl() })] as const]
    : []),
] as const)('events of calls on %s whose writers are killed', (_, options) => {
  it('are stored and delivered as 1, 2, 3 … without a gap', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(delivered, async (deliveries) => {
        const given = await options();
        const before = await openDatabase(given);
        const callIds = await openCalls(before);
        await before.close();
        const received = await writeUntilKilled(given, callIds, deliveries);
        const database = await openDatabase(given);
        try {
          await recover(createRepositories(database), received);
          for (const callId of callIds) {
            const stored = await storedSequences(database, callId);
            expect(stored).toEqual(stored.map((_sequence, index) => index + 1));
            expect(received.get(callId)).toEqual(stored);
          }
        } finally {
          await database.close();
        }
      }),
      { numRuns: KILLS, endOnFailure: true },
    );
  });
});
