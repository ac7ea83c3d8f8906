import { createHash } from 'node:crypto';

/** The algorithms of RFC 8760 §2.1. The `-sess` forms are unsupported, since SIP servers do not use them. */
export type DigestAlgorithm = 'MD5' | 'SHA-256' | 'SHA-512-256';

/** Their names in OpenSSL. SHA-512-256 is SHA-512/256 of FIPS 180-4, not a truncated SHA-512. */
const HASHES: Readonly<Record<DigestAlgorithm, string>> = {
  MD5: 'md5',
  'SHA-256': 'sha256',
  'SHA-512-256': 'sha512-256',
};
const ALGORITHMS: readonly DigestAlgorithm[] = ['MD5', 'SHA-256', 'SHA-512-256'];

/** @returns null for an unsupported algorithm. Without a name, the algorithm is MD5 (RFC 7616 §3.3). */
export function algorithmOf(name: string | undefined): DigestAlgorithm | null {
  if (name === undefined) return 'MD5';
  return ALGORITHMS.find((known) => known === name.toUpperCase()) ?? null;
}

/** The hash of a text in UTF-8, in lower-case hex. */
export function hashOf(algorithm: DigestAlgorithm, text: string): string {
  return createHash(HASHES[algorithm]).update(text, 'utf8').digest('hex');
}
