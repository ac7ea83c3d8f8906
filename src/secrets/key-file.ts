import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MasterKeyRing } from './master-key-ring.ts';
import { SecretError } from './secrets.ts';

/** AES-256. */
const KEY_BYTES = 32;
/** Readable by its owner alone. */
const KEY_FILE_MODE = 0o600;

/** The part of `Configuration` that determines the master key. */
export interface KeySource {
  readonly masterKey: Uint8Array | null;
  readonly dataDir: string;
}

/** Uses the key of `TRUNKLINE_MASTER_KEY`, otherwise of `DATA_DIR/master.key`, which the first start creates. */
export async function loadSecrets({ masterKey, dataDir }: KeySource): Promise<MasterKeyRing> {
  return new MasterKeyRing(masterKey ?? (await keyInFile(keyFile(dataDir))));
}

/** Like `loadSecrets`, but null without a key. */
export async function findSecrets({ masterKey, dataDir }: KeySource): Promise<MasterKeyRing | null> {
  const key = masterKey ?? (await keyOfFile(keyFile(dataDir)));
  return key === null ? null : new MasterKeyRing(key);
}

/** The key in the file, which is created with a random one if it is missing. */
export async function keyInFile(file: string): Promise<Uint8Array> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    // `wx` never replaces an existing key: the values that it sealed would be lost.
    await writeFile(file, `${randomBytes(KEY_BYTES).toString('hex')}\n`, {
      flag: 'wx',
      mode: KEY_FILE_MODE,
      flush: true,
    });
  } catch (error) {
    if (!isFault(error, 'EEXIST')) throw error;
    await chmod(file, KEY_FILE_MODE);
  }
  const key = await keyOfFile(file);
  if (key === null) throw new SecretError(`${file} was taken away while it was read`);
  return key;
}

function keyFile(dataDir: string): string {
  return join(dataDir, 'master.key');
}

async function keyOfFile(file: string): Promise<Uint8Array | null> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isFault(error, 'ENOENT')) return null;
    throw error;
  });
  if (text === null) return null;
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length !== KEY_BYTES) throw new SecretError(`${file} does not hold a key of ${KEY_BYTES} bytes in hex`);
  return key;
}

function isFault(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
