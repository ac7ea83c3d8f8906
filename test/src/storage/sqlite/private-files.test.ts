import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { takeNodeIdentity } from '../../../../src/cluster/node-identity.ts';
import { openDatabase } from '../../../../src/storage/database/database.ts';
import { temporaryFolder } from '../temporary-database.ts';

function withUmask(mask: number): void {
  const before = process.umask(mask);
  onTestFinished(() => {
    process.umask(before);
  });
}

/** The permission bits of the folder and of its files. */
async function modesOf(folder: string): Promise<Record<string, string>> {
  const names = ['.', ...(await readdir(folder))];
  const modes = names.map(async (name) => [name, ((await stat(join(folder, name))).mode & 0o777).toString(8)] as const);
  return Object.fromEntries(await Promise.all(modes));
}

it.each([0o000, 0o022, 0o077])('database files are for the owner alone with the umask %o', async (mask) => {
  withUmask(mask);
  const dataDir = join(await temporaryFolder(), 'data');
  const database = await openDatabase({ dataDir });
  onTestFinished(() => database.close());
  expect(await modesOf(dataDir)).toEqual({
    '.': '700',
    'trunkline.db': '600',
    'trunkline.db-shm': '600',
    'trunkline.db-wal': '600',
    'trunkline.lock': '600',
    'trunkline.lock-journal': '600',
  });
});

it('a data directory and database files that others may read are closed to them', async () => {
  const dataDir = await temporaryFolder();
  await chmod(dataDir, 0o755);
  for (const name of ['trunkline.db', 'trunkline.lock']) await writeFile(join(dataDir, name), '', { mode: 0o644 });
  const database = await openDatabase({ dataDir });
  onTestFinished(() => database.close());
  expect(new Set(Object.values(await modesOf(dataDir)))).toEqual(new Set(['700', '600']));
});

it('the files of a node on PostgreSQL are for the owner alone', async () => {
  withUmask(0);
  const dataDir = join(await temporaryFolder(), 'data');
  const node = await takeNodeIdentity(dataDir);
  onTestFinished(() => node.close());
  expect(await modesOf(dataDir)).toEqual({
    '.': '700',
    'node.id': '600',
    'trunkline.lock': '600',
    'trunkline.lock-journal': '600',
  });
});
