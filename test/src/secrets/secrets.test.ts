import { randomBytes } from 'node:crypto';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadSecrets } from '../../../src/secrets/key-file.ts';
import { MasterKeyRing } from '../../../src/secrets/master-key-ring.ts';
import { SecretError } from '../../../src/secrets/secrets.ts';
import { temporaryFolder } from '../storage/temporary-database.ts';

it('decrypts its own output, and encrypts one secret differently each time', () => {
  const secrets = new MasterKeyRing(randomBytes(32));
  for (const plain of ['', 'hunter2', '🔑'.repeat(2_000)]) {
    const sealed = secrets.seal(plain, 'trunk_password');
    expect(secrets.open(sealed, 'trunk_password')).toBe(plain);
    expect(secrets.seal(plain, 'trunk_password')).not.toBe(sealed);
  }
});

it('rejects a changed value, another key and another purpose', () => {
  const secrets = new MasterKeyRing(randomBytes(32));
  const sealed = secrets.seal('hunter2', 'trunk_password');
  const bytes = Buffer.from(sealed.slice('sealed:v1:'.length), 'base64');
  const flipped = [0, 12, bytes.length - 1].map((at) => {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    return `sealed:v1:${changed.toString('base64')}`;
  });
  for (const wrong of [...flipped, '', 'hunter2', 'sealed:v1:', 'sealed:v1:AAAA']) {
    expect(() => secrets.open(wrong, 'trunk_password')).toThrow(SecretError);
  }
  expect(() => secrets.open(sealed, 'webhook_secret')).toThrow(SecretError);
  expect(() => new MasterKeyRing(randomBytes(32)).open(sealed, 'trunk_password')).toThrow(SecretError);
});

it('creates a missing master key once, readable only by its owner', async () => {
  const dataDir = await temporaryFolder();
  const first = await loadSecrets({ masterKey: null, dataDir });
  const file = join(dataDir, 'master.key');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const key = await readFile(file, 'utf8');
  const second = await loadSecrets({ masterKey: null, dataDir });
  expect(await readFile(file, 'utf8')).toBe(key);
  expect(second.open(first.seal('x', 'secret_header'), 'secret_header')).toBe('x');
});

it('takes the rights of others to an existing key file away', async () => {
  const dataDir = await temporaryFolder();
  await loadSecrets({ masterKey: null, dataDir });
  const file = join(dataDir, 'master.key');
  await chmod(file, 0o644);
  await loadSecrets({ masterKey: null, dataDir });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('refuses a key file without a key, and does not replace it', async () => {
  const dataDir = await temporaryFolder();
  await writeFile(join(dataDir, 'master.key'), 'oops');
  await expect(loadSecrets({ masterKey: null, dataDir })).rejects.toThrow(SecretError);
  expect(await readFile(join(dataDir, 'master.key'), 'utf8')).toBe('oops');
});
