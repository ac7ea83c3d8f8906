import { randomBytes } from 'node:crypto';
import { DigestClient } from './digest-client.ts';
import type { Credentials } from './digest-response.ts';

/** Bytes of randomness in a cnonce: as many as in a nonce of most servers. */
const CNONCE_BYTES = 16;

/** A digest client with unguessable cnonces. */
export function createDigestClient(credentials: Credentials | null): DigestClient {
  return new DigestClient(credentials, () => randomBytes(CNONCE_BYTES).toString('hex'));
}
