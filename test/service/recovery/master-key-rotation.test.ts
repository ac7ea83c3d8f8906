import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabaseGuest } from '../../../src/storage/database/database.ts';
import { createRepositories } from '../../../src/storage/repositories.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../postgres/temporary-postgres.ts';
import { temporaryFolder } from '../../src/storage/temporary-database.ts';
import { eventually } from '../rig/eventually.ts';
import { type ServiceProcess, startServiceProcess, TEST_API_KEY } from '../rig/service-process.ts';

const CLI = join(resolve(import.meta.dirname, '../../..'), 'trunkline.js');
const OLD = 'ab'.repeat(32);
const TRUNKS = 20;

function rotate(environment: Record<string, string>, ...args: readonly string[]) {
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const child = spawn(process.execPath, [CLI, 'rotate-master-key', ...args], { env, cwd: environment.DATA_DIR });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += String(text);
    });
  }
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: once(child, 'exit').then(([status]) => ({ status, output })) };
}

/** The response to the creation of a trunk, which is sealed in the database: a repetition needs the key. */
async function createTrunk({ httpUrl }: ServiceProcess, index: number): Promise<string> {
  const response = await fetch(`${httpUrl}/v1/sip-trunks`, {
    method: 'POST',
    headers: { 'x-api-key': TEST_API_KEY, 'content-type': 'application/json', 'idempotency-key': `trunk-${index}` },
    body: JSON.stringify({
      name: `T${index}`,
      termination_uri: '127.0.0.1:9',
      username: 'u',
      password: `secret ${index}`,
    }),
  });
  expect(response.status).toBe(201);
  return response.text();
}

describe.each(['sqlite', ...(hasPostgres() ? ['postgres'] : [])])('a rotation of the master key on %s', (kind) => {
  it('is killed, continues, and every running node reads all secrets before, between and after', async () => {
    const database: Record<string, string> = kind === 'postgres' ? { DATABASE_URL: await temporaryPostgresUrl() } : {};
    const environment = { ...database, TRUNKLINE_MASTER_KEY: OLD, HTTP_ALLOW_ADDRESSES: '127.0.0.1/32' };
    const first = await startServiceProcess(environment);
    const nodes = kind === 'postgres' ? [first, await startServiceProcess(environment)] : [first];
    onTestFinished(() => Promise.all(nodes.map((one) => one.kill())).then(() => undefined));
    const created = await Promise.all(Array.from({ length: TRUNKS }, (_, index) => createTrunk(first, index)));
    const expectReadable = async () => {
      for (const node of nodes) {
        expect(await Promise.all(created.map((_, index) => createTrunk(node, index)))).toEqual(created);
      }
    };
    const place = { dataDir: first.dataDir, databaseUrl: database.DATABASE_URL ?? null };
    const guest = await openDatabaseGuest(place);
    onTestFinished(() => guest.close());
    const { masterKeys } = createRepositories(guest);
    const file = join(await temporaryFolder(), 'new.key');
    const settings = { ...environment, DATA_DIR: first.dataDir };

    const killed = rotate(settings, file);
    await eventually(async () => expect(await masterKeys.keys()).toHaveLength(2));
    killed.child.kill('SIGKILL');
    await killed.ended;
    await expectReadable();

    const { output, status } = await rotate(settings, file).ended;
    expect({ output, status }).toMatchObject({ status: 0, output: expect.stringContaining('--finish') });
    await expectReadable();
    for (const node of nodes) await eventually(() => expect(node.output()).toContain('master key replaced'));
    expect((await rotate(settings, '--finish').ended).output).toContain('the settings name the old key');

    const newKey = await readFile(file, 'utf8');
    for (const [index, node] of nodes.entries()) {
      await node.stop();
      nodes[index] = await startServiceProcess({
        ...environment,
        TRUNKLINE_MASTER_KEY: newKey.trim(),
        DATA_DIR: node.dataDir,
      });
      await expectReadable();
    }
    const finished = await rotate({ ...settings, TRUNKLINE_MASTER_KEY: newKey.trim() }, '--finish').ended;
    expect(finished).toMatchObject({ status: 0, output: expect.stringContaining('The rotation is finished') });
    await expectReadable();
    expect((await rotate(settings, file).ended).output).toContain('is not the key that the secrets');
  });
});
