import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 192 bits cannot be guessed. */
const TOKEN_BYTES = 24;
/** Length of that many bytes as base64url. */
const TOKEN_LENGTH = 32;

/** Creates a token for the media of a web call. It appears in no log and not in the database. */
export function mintWebToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The stored form of a token: SHA-256 in hex. The token is long and random, so it needs no salt and no stretching. */
export function hashWebToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether `token` has this `hash`. Constant time. */
export function isWebToken(token: string, hash: string | null): boolean {
  if (hash === null || token.length !== TOKEN_LENGTH) return false;
  const [given, kept] = [Buffer.from(hashWebToken(token)), Buffer.from(hash)];
  return given.length === kept.length && timingSafeEqual(given, kept);
}
