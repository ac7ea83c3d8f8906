import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 192 bits cannot be guessed. */
const TOKEN_BYTES = 24;
/** Of the base64url of that many bytes. */
const TOKEN_LENGTH = 32;

/** What opens a web call's media; for whom it is minted, and nowhere in a log or the database. */
export function mintWebToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** What is kept of it: SHA-256 in hex. It is random and long, so no salt or stretching is needed. */
export function hashWebToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether `token` is the one of which `hash` was kept; in constant time. */
export function isWebToken(token: string, hash: string | null): boolean {
  if (hash === null || token.length !== TOKEN_LENGTH) return false;
  const [given, kept] = [Buffer.from(hashWebToken(token)), Buffer.from(hash)];
  return given.length === kept.length && timingSafeEqual(given, kept);
}
