import { expect, it, onTestFinished } from 'vitest';
import { keysCommand } from '../../../../src/cli/commands/keys.ts';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../../../src/storage/access/organization-repository.ts';
import { openDatabase } from '../../../../src/storage/database/database.ts';
import { START_MS, temporaryFolder } from '../../storage/temporary-database.ts';

const ENVIRONMENT_KEY = 'the-key-of-the-environment-of-the-service';

async function keys(dataDir: string, ...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const into = (stream: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[stream] += text;
    },
  });
  const output = { stdout: into('stdout'), stderr: into('stderr') };
  const status = await keysCommand(args, { DATA_DIR: dataDir }, output);
  return { status, ...written };
}

function keyIn(stdout: string): string {
  return /tl_[\w-]{43}/.exec(stdout)?.[0] ?? '';
}

/** Organizations of a running service, which has the database open. */
async function runningService(dataDir: string) {
  const database = await openDatabase({ dataDir });
  onTestFinished(() => database.close());
  const organizations = createOrganizationRepository(database);
  await organizations.ensureDefault(START_MS);
  return organizations;
}

it('a key can be created before the first start; it is printed once, stored as a hash, and valid in the service', async () => {
  const dataDir = await temporaryFolder();
  const created = await keys(dataDir, 'create', '--name', 'billing', '--scopes', 'read');
  expect(created).toMatchObject({ status: 0, stderr: '' });
  const key = keyIn(created.stdout);
  const listed = await keys(dataDir, 'list');
  expect(listed.stdout).toContain(`${key.slice(0, 10)}…`);
  expect(listed.stdout).toMatch(/read .* active {2,}billing/);
  expect(listed.stdout).not.toContain(key);
  expect(await (await runningService(dataDir)).findKey(key)).toMatchObject({
    name: 'billing',
    scopes: ['read'],
    organizationId: DEFAULT_ORGANIZATION_ID,
  });
});

it('names cannot control the terminal that shows them', async () => {
  const dataDir = await temporaryFolder();
  const name = 'billing\u001b]0;PWNED\u0007\u202e';
  const outputs = [
    await keys(dataDir, 'create', '--name', name),
    await keys(dataDir, 'list'),
    await keys(dataDir, 'revoke', name),
    await keys(dataDir, name),
  ];
  for (const { stdout, stderr } of outputs) {
    expect(`${stdout}${stderr}`.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});

it('keys can be created and revoked while a service runs, and its next request applies the change', async () => {
  const dataDir = await temporaryFolder();
  const service = await runningService(dataDir);
  const key = keyIn((await keys(dataDir, 'create')).stdout);
  const stored = await service.findKey(key);
  expect(stored).toMatchObject({ scopes: ['read', 'write'] });
  const revoked = await keys(dataDir, 'revoke', stored?.id ?? '');
  expect(revoked.status).toBe(0);
  expect(await service.findKey(key)).toBeNull();
  expect((await keys(dataDir, 'list')).stdout).toMatch(/revoked \d{4}-/);
  expect(await keys(dataDir, 'revoke', stored?.id ?? '')).toMatchObject({ status: 1, stdout: '' });
  // The service can still write after the commands have ended.
  await service.addOrganization('after', START_MS);
});

it('a key can be revoked by its prefix or in full; a prefix of no key or of several keys is refused', async () => {
  const dataDir = await temporaryFolder();
  const service = await runningService(dataDir);
  const first = keyIn((await keys(dataDir, 'create')).stdout);
  const second = keyIn((await keys(dataDir, 'create')).stdout);
  expect((await keys(dataDir, 'revoke', 'tl_')).status).toBe(1);
  expect((await keys(dataDir, 'revoke', 'tl_nobody1')).status).toBe(1);
  expect(await service.findKey(first)).not.toBeNull();
  expect((await keys(dataDir, 'revoke', first.slice(0, 10))).status).toBe(0);
  expect(await service.findKey(first)).toBeNull();
  expect(await service.findKey(second)).not.toBeNull();
  expect((await keys(dataDir, 'revoke', second)).status).toBe(0);
  expect(await service.findKey(second)).toBeNull();
});

it('a key belongs to the named organization or to a new one', async () => {
  const dataDir = await temporaryFolder();
  const service = await runningService(dataDir);
  const firstKey = keyIn((await keys(dataDir, 'create', '--new-organization', 'Acme')).stdout);
  const organizationId = (await service.findKey(firstKey))?.organizationId ?? '';
  expect(organizationId).not.toBe(DEFAULT_ORGANIZATION_ID);
  for (const named of ['Acme', organizationId]) {
    const key = keyIn((await keys(dataDir, 'create', '--organization', named)).stdout);
    expect(await service.findKey(key)).toMatchObject({ organizationId });
  }
  await keys(dataDir, 'create', '--new-organization', 'Acme');
  const before = (await service.listKeys()).length;
  for (const named of ['Acme', 'nobody']) {
    const refused = await keys(dataDir, 'create', '--organization', named);
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toContain(named);
  }
  expect(await service.listKeys()).toHaveLength(before);
});

it('revoking the key of the environment warns that the next start restores it', async () => {
  const dataDir = await temporaryFolder();
  const service = await runningService(dataDir);
  await service.setEnvironmentKey(ENVIRONMENT_KEY, START_MS);
  const stored = await service.findKey(ENVIRONMENT_KEY);
  const listed = (await keys(dataDir, 'list')).stdout;
  expect(listed).not.toContain(ENVIRONMENT_KEY.slice(0, 6));
  const revoked = await keys(dataDir, 'revoke', stored?.id ?? '');
  expect(revoked.stdout).toContain('TRUNKLINE_API_KEY');
  expect(await service.findKey(ENVIRONMENT_KEY)).toBeNull();
});

it.each([
  [[]],
  [['delete']],
  [['list', 'all']],
  [['revoke']],
  [['revoke', 'a', 'b']],
  [['create', 'billing']],
  [['create', '--scope', 'read']],
  [['create', '--scopes', 'read,root']],
  [['create', '--scopes', '']],
  [['create', '--name', ' ']],
  [['create', '--name', 'x'.repeat(101)]],
  [['create', '--name', 'TRUNKLINE_API_KEY']],
  [['create', '--organization', 'a', '--new-organization', 'b']],
])('keys %j is refused with the usage, and no key is created', async (args) => {
  const dataDir = await temporaryFolder();
  const refused = await keys(dataDir, ...args);
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toContain('trunkline keys create');
  expect((await keys(dataDir, 'list')).stdout.trim().split('\n')).toHaveLength(1);
});
