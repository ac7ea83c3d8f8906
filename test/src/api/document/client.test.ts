import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { sharedApi } from '../test-api.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const TSC = join(ROOT, 'node_modules/.bin/tsc');
const GENERATOR = join(ROOT, 'node_modules/.bin/oazapfts');
const OPTIONS = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions'].concat([
  '--target',
  'es2024',
  '--module',
  'nodenext',
  '--lib',
  'es2024,dom,dom.iterable',
  '--types',
  'node',
]);

/** A program against the generated client. */
const PROGRAM = `
import { createAgent, createSipTrunk, getCall, listCalls, stageCall, updateSipTrunk } from './client.ts';

export async function stageAndRead(): Promise<string> {
  const states = [{ name: 'greeting', tools: [{ type: 'hang_up' as const, name: 'bye' }] }];
  const agent = await createAgent({ name: 'Desk', states, initial_state_name: 'greeting' }, { idempotencyKey: 'one' });
  if (agent.status !== 201) throw new Error(agent.data.error?.message ?? 'refused');
  const request = { from_number: '+4915112345678', to_number: '+493012345678', agent_id: agent.data.data.id };
  const staged = await stageCall(request, { sync: true });
  if (staged.status !== 201) throw new Error('not staged');
  const read = await getCall(staged.data.data.call_id);
  if (read.status !== 200) throw new Error('not found');
  const listed = await listCalls({ agentId: agent.data.data.id, limit: 10, useCursor: true });
  const newest: string | null = listed.status === 200 ? (listed.data.data[0]?.start_time ?? null) : null;
  const trunk = await createSipTrunk({ name: 'Carrier', termination_uri: 'sip.example.com' });
  if (trunk.status === 201) await updateSipTrunk(trunk.data.data.id, { max_concurrent_calls: 20 });
  return [read.data.data.status, newest].join(' ');
}
`;
const INVALID_PROGRAM = PROGRAM.replace('limit: 10', "limit: 'ten'");

const shared = sharedApi();
/** Inside node_modules, because the client imports the runtime of the generator. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(ROOT, 'node_modules', '.client-'));
  await writeFile(join(folder, 'openapi.json'), (await shared().app.inject('/openapi.json')).body);
  await run(GENERATOR, [join(folder, 'openapi.json'), join(folder, 'client.ts')]);
  return () => rm(folder, { recursive: true, force: true });
});

async function faultsOf(name: string, program: string): Promise<string> {
  await writeFile(join(folder, name), program);
  const response = await run(TSC, [...OPTIONS, join(folder, name)], { cwd: ROOT }).catch((error) => error);
  return response.stdout;
}

it('a generated client and a program that uses it type-check', async () => {
  expect(await faultsOf('valid.ts', PROGRAM)).toBe('');
});

it('a program that misuses the generated client does not type-check', async () => {
  expect(await faultsOf('invalid.ts', INVALID_PROGRAM)).toContain("Type 'string' is not assignable to type 'number'");
});
