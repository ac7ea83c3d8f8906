import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseUri } from '../message/uri.ts';
import { parseAuthSchemes } from './auth-parameters.ts';
import { algorithmOf, type DigestAlgorithm } from './digest-algorithm.ts';
import { type Credentials, digestResponse } from './digest-response.ts';

/** The result of a check. `stale`: the password was correct, but the nonce was used before or is too old. */
export type DigestResult = 'valid' | 'stale' | 'refused';

export interface AuthenticatedRequest {
  readonly method: string;
  /** The Request-URI as received. */
  readonly uri: string;
  /** The value of Authorization; null without one. */
  readonly authorization: string | null;
}

/** Strongest first (RFC 8760 §2.4). */
const OFFERED: readonly DigestAlgorithm[] = ['SHA-256', 'MD5'];

/** A caller answers within a round trip. The limit makes recorded requests useless. */
const NONCE_LIFETIME_MS = 60_000;

/** Used nonces in memory. Beyond: the oldest is dropped, and nonces of its age are refused (`#notBeforeMs`). */
const NONCES_MAX = 10_000;

const NONCE_RANDOM_BYTES = 12;
const KEY_BYTES = 32;

/**
 * The server side of digest (RFC 7616). A nonce contains its signed creation time, so a challenge needs no memory. A used
 * nonce is stored with its last count, and no count is accepted twice.
 */
export class DigestServer {
  readonly #realm: string;
  readonly #nowMs: () => number;
  readonly #key = randomBytes(KEY_BYTES);
  /** The last accepted count by nonce, in order of first use. */
  readonly #counts = new Map<string, { last: number; readonly madeAtMs: number }>();
  #notBeforeMs = 0;

  /** @param realm contains neither quotes nor backslashes. */
  constructor(realm: string, nowMs: () => number) {
    this.#realm = realm;
    this.#nowMs = nowMs;
  }

  /** The values of WWW-Authenticate, the strongest challenge first (RFC 8760 §2.4). */
  challenges(stale: boolean): string[] {
    const made = this.#nowMs().toString(36);
    const unsigned = `${made}.${randomBytes(NONCE_RANDOM_BYTES).toString('base64url')}`;
    const nonce = `${unsigned}.${this.#sign(unsigned)}`;
    const end = stale ? ', stale=true' : '';
    return OFFERED.map(
      (algorithm) => `Digest realm="${this.#realm}", nonce="${nonce}", qop="auth", algorithm=${algorithm}${end}`,
    );
  }

  /** Whether the request is signed with one of these credentials, and is not a replay. */
  check({ method, uri, authorization }: AuthenticatedRequest, accepted: readonly Credentials[]): DigestResult {
    const [scheme, ...others] = parseAuthSchemes(authorization ?? '') ?? [];
    if (scheme === undefined || others.length > 0 || scheme.scheme !== 'digest') return 'refused';
    const get = (name: string) => scheme.parameters.get(name) ?? '';
    const algorithm = algorithmOf(scheme.parameters.get('algorithm'));
    const nonceCount = /^[0-9a-f]{8}$/i.test(get('nc')) ? Number.parseInt(get('nc'), 16) : 0;
    const madeAtMs = this.#createdAt(get('nonce'));
    if (algorithm === null || !OFFERED.includes(algorithm) || madeAtMs === null) return 'refused';
    if (get('realm') !== this.#realm || !isSameServer(get('uri'), uri) || get('qop') !== 'auth' || nonceCount === 0)
      return 'refused';
    const auth = { nonceCount: get('nc'), cnonce: get('cnonce') };
    const parts = { algorithm, realm: this.#realm, nonce: get('nonce'), method, uri: get('uri'), auth };
    const proved = accepted.some(
      ({ username, password }) =>
        username === get('username') && isSame(digestResponse({ ...parts, username }, password), get('response')),
    );
    if (!proved) return 'refused';
    return this.#consume(get('nonce'), madeAtMs, nonceCount) ? 'valid' : 'stale';
  }

  /** False for a nonce that is too old, or a count that is not above the last one (a replay). */
  #consume(nonce: string, madeAtMs: number, count: number): boolean {
    const nowMs = this.#nowMs();
    this.#dropExpired(nowMs);
    if (madeAtMs < nowMs - NONCE_LIFETIME_MS || madeAtMs < this.#notBeforeMs) return false;
    const known = this.#counts.get(nonce);
    if (known !== undefined) {
      if (count <= known.last) return false;
      known.last = count;
      return true;
    }
    this.#counts.set(nonce, { last: count, madeAtMs });
    if (this.#counts.size > NONCES_MAX) this.#dropOldest();
    return true;
  }

  #dropExpired(nowMs: number): void {
    for (const [nonce, { madeAtMs }] of this.#counts) {
      if (madeAtMs >= nowMs - NONCE_LIFETIME_MS) return;
      this.#counts.delete(nonce);
    }
  }

  /** A dropped nonce could be replayed, so nonces of its age are refused. */
  #dropOldest(): void {
    const [oldest] = this.#counts;
    if (oldest === undefined) return;
    this.#counts.delete(oldest[0]);
    this.#notBeforeMs = Math.max(this.#notBeforeMs, oldest[1].madeAtMs + 1);
  }

  /** The creation time of one of our nonces; null for any other nonce. */
  #createdAt(nonce: string): number | null {
    const at = nonce.lastIndexOf('.');
    const unsigned = nonce.slice(0, Math.max(0, at));
    if (!isSame(this.#sign(unsigned), nonce.slice(at + 1))) return null;
    const madeAtMs = Number.parseInt(unsigned, 36);
    return Number.isSafeInteger(madeAtMs) ? madeAtMs : null;
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

/**
 * Whether the signed URI matches the Request-URI (RFC 7616 §3.4.6). Only host and port are compared: some callers sign
 * the server without the dialled number.
 */
function isSameServer(signed: string, requested: string): boolean {
  const [signedUri, requestedUri] = [parseUri(signed), parseUri(requested)];
  if (signedUri === null || requestedUri === null || signedUri.scheme === 'tel' || requestedUri.scheme === 'tel')
    return signed === requested;
  return signedUri.host.toLowerCase() === requestedUri.host.toLowerCase() && signedUri.port === requestedUri.port;
}

/** Compares in constant time. */
function isSame(first: string, second: string): boolean {
  const [left, right] = [Buffer.from(first), Buffer.from(second)];
  return left.length === right.length && timingSafeEqual(left, right);
}
