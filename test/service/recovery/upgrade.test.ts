import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { migrationsOf } from '../../../src/storage/migrations/migration-list.ts';
import { migrateSqlite } from '../../../src/storage/sqlite/migrate-sqlite.ts';
import { WorkerLink } from '../../../src/storage/sqlite/worker-link.ts';
import { temporaryFolder } from '../../src/storage/temporary-database.ts';
import { startEmulatedProviders } from '../rig/emulated-providers.ts';
import { type ServiceProcess, startServiceProcess, TEST_API_KEY } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';

const [BASELINE = ''] = Object.keys(migrationsOf('sqlite'));
const NOT_COPIED = /^(sqlite_|kysely_|knowledge_(words|index))/;

/** The data directory of 0.1.0 with the data of this one: the tables and columns of the baseline, sealed values without the id of their key. */
async function asOfBaseline(dataDir: string): Promise<string> {
  const older = await temporaryFolder();
  for (const name of ['master.key', 'recordings'])
    await cp(join(dataDir, name), join(older, name), { recursive: true });
  const writer = await WorkerLink.open({ role: 'writer', dataDir: older });
  await migrateSqlite(writer, BASELINE);
  await writer.close();
  const database = new DatabaseSync(join(older, 'trunkline.db'));
  database.exec(`PRAGMA foreign_keys = OFF; ATTACH '${join(dataDir, 'trunkline.db')}' AS newer`);
  const tables = database.prepare("SELECT name FROM main.sqlite_master WHERE type = 'table'").all();
  for (const name of tables.map((table) => String(table.name)).filter((table) => !NOT_COPIED.test(table))) {
    const columns = database.prepare(`SELECT name FROM pragma_table_info('${name}')`).all();
    const list = columns.map((column) => `"${String(column.name)}"`).join(', ');
    database.exec(`INSERT INTO main."${name}" (${list}) SELECT ${list} FROM newer."${name}"`);
    for (const { name: column } of columns) {
      if (!/_(sealed|json)$/.test(String(column))) continue;
      const rows = database.prepare(`SELECT rowid AS id, "${column}" AS text FROM main."${name}"`).all();
      const update = database.prepare(`UPDATE main."${name}" SET "${column}" = ? WHERE rowid = ?`);
      for (const { id, text } of rows) {
        if (typeof text === 'string') update.run(text.replaceAll(/sealed:v2:\w{16}:/g, 'sealed:v1:'), Number(id));
      }
    }
  }
  database.close();
  return older;
}

async function statusOf({ httpUrl }: ServiceProcess, path: string): Promise<number> {
  return (await fetch(`${httpUrl}${path}`, { headers: { 'x-api-key': TEST_API_KEY } })).status;
}

it('this version starts on the data of the baseline: agents, trunks, ended calls, recordings and secrets are there', async () => {
  const providers = await startEmulatedProviders();
  onTestFinished(() => providers.close());
  const before = await startServiceProcess(providers.environment);
  onTestFinished(() => before.kill());
  const headers = [{ name: 'x-secret', value: 'correct horse', secret: true }];
  const tool = { type: 'custom_function', name: 'look_up', url: 'https://example.com/', headers };
  const states = [{ name: 'talk', prompt: 'Talk.', tools: [tool] }];
  const { id } = await before.api.createAgent(talker({ initial_message: 'Hello.', recording: true, states }));
  const ended = await dialIn(before, id);
  await ended.said('Hello.');
  await ended.hangUp();
  const call = await before.api.callIn(ended.callId, ['completed']);
  // After the call: with a password, calls of unlisted sources need it.
  const trunk = { name: 'Carrier', termination_uri: '127.0.0.1:9', username: 'alice', password: 'secret-secret' };
  const { id: trunkId } = await before.api.requestOk(
    z.looseObject({ id: z.string() }),
    'POST',
    '/v1/sip-trunks',
    trunk,
  );
  const read = async (service: ServiceProcess) => ({
    agent: await service.api.requestOk(z.unknown(), 'GET', `/v1/agents/${id}`),
    trunks: await service.api.requestOk(z.unknown(), 'GET', '/v1/sip-trunks'),
    transcript: (await service.api.call(ended.callId)).transcript,
  });
  const stored = await read(before);
  await before.stop();

  const after = await startServiceProcess({ ...providers.environment, DATA_DIR: await asOfBaseline(before.dataDir) });
  onTestFinished(() => after.kill());
  expect(await read(after)).toEqual(stored);
  expect(await after.api.call(ended.callId)).toMatchObject({ status: call.status, end_reason: call.end_reason });
  expect(await statusOf(after, `/v1/calls/${ended.callId}/recording`)).toBe(200);
  // The change seals the known secret again, which it must open first.
  const changed = {
    states: [{ ...states[0], prompt: 'Talk more.', tools: [{ ...tool, headers: [{ ...headers[0], value: '***' }] }] }],
  };
  expect((await after.api.send('PATCH', `/v1/agents/${id}`, changed)).status).toBe(200);
  await after.api.requestOk(z.unknown(), 'DELETE', `/v1/sip-trunks/${trunkId}`);
  const again = await dialIn(after, id);
  await again.said('Hello.');
  await again.hangUp();
  await after.api.callIn(again.callId, ['completed']);
});
