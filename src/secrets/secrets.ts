import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** AES-256-GCM (NIST SP 800-38D): 96-bit nonces, 128-bit tags. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 8;
/** Begins every sealed value. */
const PREFIX = 'sealed:';
/** Values of the first releases, which do not name their key: `sealed:v1:BASE64`. */
const UNNAMED = 'sealed:v1:';
/** `sealed:v2:KEY_ID:BASE64`. */
const NAMED = /^sealed:v2:([0-9a-f]{16}):/;

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
  /** Whether `sign` returned this for the text, with this key or the one before a rotation. */
  isSignature(text: string, given: string): boolean;
}

const PURPOSES = [
  'idempotent_answer',
  'master_key',
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

/** The id that values sealed with this key carry. It reveals nothing about the key. */
export function keyIdOf(key: Uint8Array): string {
  return Buffer.from(hkdfSync('sha256', key, '', 'trunkline key id', KEY_ID_BYTES)).toString('hex');
}

/** The id of the key that sealed the value; null for a value that does not name its key. */
export function sealedKeyId(sealed: string): string | null {
  return NAMED.exec(sealed)?.[1] ?? null;
}

/** The beginning of all values that this key seals. */
export function sealedPrefix(keyId: string): string {
  return `sealed:v2:${keyId}:`;
}

export function seal(key: Uint8Array, plain: string, purpose: SecretPurpose): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return sealedPrefix(keyIdOf(key)) + sealed.toString('base64');
}

/** @throws SecretError for a changed value, another key or another purpose */
export function openSealed(key: Uint8Array, sealed: string, purpose: SecretPurpose): string {
  const prefix = NAMED.exec(sealed)?.[0] ?? UNNAMED;
  const bytes = Buffer.from(sealed.slice(prefix.length), 'base64');
  if (!sealed.startsWith(prefix) || bytes.length < NONCE_BYTES + TAG_BYTES) {
    throw new SecretError('This is no sealed value');
  }
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]).toString('utf8');
  } catch {
    throw new SecretError('A stored secret does not open: was TRUNKLINE_MASTER_KEY or the key file changed?');
  }
}

/** Whether one of these keys has sealed the value, for any purpose. */
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
