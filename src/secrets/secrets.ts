import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** AES-256-GCM (NIST SP 800-38D): 96-bit nonces, 128-bit tags. */
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Prefix of every sealed value. It leaves room for another scheme. */
const PREFIX = 'sealed:v1:';
/** Readable by its owner alone. */
const KEY_FILE_MODE = 0o600;

/**
 * Seals values that the database must not show: trunk passwords, secret headers, webhook secrets. `purpose` is authenticated with
 * the value, so a sealed trunk password cannot be used as a header.
 */
export interface Secrets {
  seal(plain: string, purpose: SecretPurpose): string;
  /** Throws a `SecretError` for a changed value, another key or another purpose. */
  open(sealed: string, purpose: SecretPurpose): string;
  /** HMAC-SHA256 of a text, in base64url: proves that this service made a URL. */
  sign(text: string): string;
}

const PURPOSES = [
  'idempotent_answer',
  'master_key_proof',
  'secret_header',
  'trunk_password',
  'webhook_secret',
] as const;
export type SecretPurpose = (typeof PURPOSES)[number];

export class SecretError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SecretError';
  }
}

export function isSealed(value: string): boolean {
  return value.startsWith(PREFIX);
}

/** Uses the key of `TRUNKLINE_MASTER_KEY`, otherwise of `DATA_DIR/master.key`, which the first start creates. */
export async function loadSecrets(masterKey: Uint8Array | null, dataDir: string): Promise<Secrets> {
  return createSecrets(masterKey ?? (await madeKey(dataDir)));
}

/** Like `loadSecrets`, but null without a key. */
export async function findSecrets({
  masterKey,
  dataDir,
}: {
  readonly masterKey: Uint8Array | null;
  readonly dataDir: string;
}): Promise<Secrets | null> {
  const key = masterKey ?? (await keyOfFile(keyFile(dataDir)));
  return key === null ? null : createSecrets(key);
}

/** Whether this key has sealed the value, for any purpose. */
export function isSealedWith(secrets: Pick<Secrets, 'open'>, sealed: string): boolean {
  return PURPOSES.some((purpose) => {
    try {
      secrets.open(sealed, purpose);
      return true;
    } catch {
      return false;
    }
  });
}

export function createSecrets(key: Uint8Array): Secrets {
  const signingKey = Buffer.from(hkdfSync('sha256', key, '', 'trunkline signed urls', KEY_BYTES));
  return {
    sign: (text) => createHmac('sha256', signingKey).update(text).digest('base64url'),
    seal: (plain, purpose) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return PREFIX + sealed.toString('base64');
    },
    open: (sealed, purpose) => {
      const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64');
      if (!isSealed(sealed) || bytes.length < NONCE_BYTES + TAG_BYTES) throw new SecretError('This is no sealed value');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([plain, decipher.final()]).toString('utf8');
      } catch {
        throw new SecretError('A stored secret does not open: was TRUNKLINE_MASTER_KEY or the key file changed?');
      }
    },
  };
}

function keyFile(dataDir: string): string {
  return join(dataDir, 'master.key');
}

async function madeKey(dataDir: string): Promise<Uint8Array> {
  const file = keyFile(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
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
