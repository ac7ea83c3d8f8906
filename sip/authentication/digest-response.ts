import { type DigestAlgorithm, hashOf } from './digest-algorithm.ts';
import type { DigestChallenge } from './digest-challenge.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The request to sign. */
export interface SignedRequest {
  readonly method: string;
  /** The Request-URI as sent. */
  readonly uri: string;
  readonly cnonce: string;
  /** Starts at 1; each request with the same nonce adds 1. */
  readonly nonceCount: number;
}

/** Every input of the hash of RFC 7616 §3.4.1 except the password. */
export interface ResponseParts {
  readonly algorithm: DigestAlgorithm;
  readonly username: string;
  readonly realm: string;
  readonly nonce: string;
  readonly method: string;
  readonly uri: string;
  /** null without qop: the form of RFC 2069, which RFC 3261 §22.4 still allows. */
  readonly auth: { readonly nonceCount: string; readonly cnonce: string } | null;
}

/** `response` of RFC 7616 §3.4.1, with qop `auth` or none. */
export function digestResponse(parts: ResponseParts, password: string): string {
  const { algorithm, auth, nonce } = parts;
  const secret = hashOf(algorithm, `${parts.username}:${parts.realm}:${password}`);
  const request = hashOf(algorithm, `${parts.method}:${parts.uri}`);
  const middle = auth === null ? nonce : `${nonce}:${auth.nonceCount}:${auth.cnonce}:auth`;
  return hashOf(algorithm, `${secret}:${middle}:${request}`);
}

/** The value of Authorization or Proxy-Authorization (RFC 7616 §3.4). */
export function formatAuthorization(
  challenge: DigestChallenge,
  { username, password }: Credentials,
  { method, uri, cnonce, nonceCount }: SignedRequest,
): string {
  const { algorithm, nonce, opaque, qop, realm } = challenge;
  const auth = qop === null ? null : { nonceCount: nonceCount.toString(16).padStart(8, '0'), cnonce };
  const response = digestResponse({ algorithm, username, realm, nonce, method, uri, auth }, password);
  const quotedUser = username.replace(/["\\]/g, '\\$&');
  return [
    `Digest username="${quotedUser}"`,
    `realm="${realm}"`,
    `nonce="${nonce}"`,
    `uri="${uri}"`,
    `response="${response}"`,
    `algorithm=${algorithm}`,
    ...(auth === null ? [] : [`qop=auth`, `nc=${auth.nonceCount}`, `cnonce="${auth.cnonce}"`]),
    ...(opaque === null ? [] : [`opaque="${opaque}"`]),
  ].join(', ');
}
