import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createOrganizationRepository } from '../../../../src/storage/access/organization-repository.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { openDatabase } from '../../../../src/storage/database/database.ts';
import { DatabaseError } from '../../../../src/storage/link/database-error.ts';
import { migrationsOf } from '../../../../src/storage/migrations/migration-list.ts';
import { startWorker, WorkerLink } from '../../../../src/storage/sqlite/worker-link.ts';
import type { WorkerSettings } from '../../../../src/storage/sqlite/worker-protocol.ts';
import { newCall, START_MS, storeAgent, temporaryDatabase, temporaryFolder } from '../temporary-database.ts';

it('confirmed data is available to the next process, and migrations run once', async () => {
  const dataDir = await temporaryFolder();
  const first = await openDatabase({ dataDir });
  await createOrganizationRepository(first).ensureDefault(START_MS);
  const call = newCall(await storeAgent(first));
  await createCallRepository(first).createCall(call);
  const migrations = await first.query.selectFrom('kysely_migration').selectAll().execute();
  expect(migrations.map(({ name }) => name)).toEqual(Object.keys(migrationsOf('sqlite')));
  await first.close();
  const second = await openDatabase({ dataDir });
  onTestFinished(() => second.close());
  expect(await createCallRepository(second).find(call.id)).toMatchObject({ id: call.id });
  expect(await second.query.selectFrom('kysely_migration').selectAll().execute()).toEqual(migrations);
  expect((await stat(join(dataDir, 'trunkline.db'))).isFile()).toBe(true);
});

it('a data directory serves one process at a time', async () => {
  const dataDir = await temporaryFolder();
  const holder = await openDatabase({ dataDir });
  await expect(openDatabase({ dataDir })).rejects.toMatchObject({ fault: 'locked' });
  await holder.check();
  await holder.close();
  const next = await openDatabase({ dataDir });
  await next.close();
});

it('a file that is not a database is refused and not changed', async () => {
  const dataDir = await temporaryFolder();
  const file = join(dataDir, 'trunkline.db');
  await writeFile(file, 'notes, not a database '.repeat(100));
  const before = await readFile(file);
  await expect(openDatabase({ dataDir })).rejects.toThrow(`${file} is not a database`);
  expect(await readFile(file)).toEqual(before);
});

it('the reader cannot write', async () => {
  const dataDir = await temporaryFolder();
  const writer = await openDatabase({ dataDir });
  const reader = await WorkerLink.open({ role: 'reader', dataDir });
  const write = { sql: "INSERT INTO nodes (id, lease_until_ms) VALUES ('x', 0)", parameters: [], mustChange: false };
  await expect(reader.run([write])).rejects.toMatchObject({ fault: 'failed' });
  await reader.close();
  await writer.close();
});

it('the requests of one tick reach a worker as one message, and their answers come back as one', async () => {
  const messages: string[] = [];
  const database = await temporaryDatabase((settings) => {
    const worker = startWorker(settings);
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message: unknown) => {
      messages.push(`to the ${settings.role}`);
      post(message);
    };
    worker.on('message', () => messages.push(`from the ${settings.role}`));
    return worker;
  });
  const agentId = await storeAgent(database);
  messages.length = 0;
  const { query } = database;
  await Promise.all([
    ...['a', 'b', 'c'].map((name) => query.updateTable('agents').set({ name }).where('id', '=', agentId).execute()),
    ...['x', 'y'].map((id) => query.selectFrom('agents').select('name').where('id', '=', id).execute()),
  ]);
  expect(messages.toSorted()).toEqual(['from the reader', 'from the writer', 'to the reader', 'to the writer']);
});

it('a killed worker fails only its pending requests, and a new worker has all confirmed data', async () => {
  const workers: ReturnType<typeof startWorker>[] = [];
  const start = (settings: WorkerSettings) => {
    const worker = startWorker(settings);
    workers.push(worker);
    return worker;
  };
  const database = await temporaryDatabase(start);
  const calls = createCallRepository(database);
  const agentId = await storeAgent(database);
  const kept = newCall(agentId);
  await calls.createCall(kept);
  const [writer] = workers;
  if (writer === undefined) throw new Error('no writer was started');
  const lost = calls.createCall(newCall(agentId));
  const gone = once(writer, 'exit');
  const killed = writer.terminate();
  const outcome = await lost.then(
    () => 'answered before the kill',
    (error: unknown) => (error instanceof DatabaseError ? error.fault : 'not a DatabaseError'),
  );
  expect(['unavailable', 'answered before the kill']).toContain(outcome);
  await killed;
  await gone;
  await expect(calls.createCall(newCall(agentId))).rejects.toMatchObject({ fault: 'unavailable', retryable: true });
  const after = newCall(agentId);
  await vi.waitFor(() => calls.createCall(after), { timeout: 10_000, interval: 20 });
  expect(await calls.find(kept.id)).not.toBeNull();
  expect(await calls.find(after.id)).not.toBeNull();
  expect(workers).toHaveLength(3);
});

it('a killed reader does not disturb writes, and is restarted', async () => {
  const workers: ReturnType<typeof startWorker>[] = [];
  const start = (settings: WorkerSettings) => {
    const worker = startWorker(settings);
    workers.push(worker);
    return worker;
  };
  const database = await temporaryDatabase(start);
  const agentId = await storeAgent(database);
  const calls = createCallRepository(database);
  await workers[1]?.terminate();
  const call = newCall(agentId);
  await calls.createCall(call);
  const found = await vi.waitFor(() => calls.find(call.id), { timeout: 10_000, interval: 20 });
  expect(found).toMatchObject({ id: call.id });
});
