import { isSafeHeaderValue } from '../message/custom-headers.ts';
import { getHeaderLines } from '../message/headers.ts';
import type { SipHeader } from '../message/sip-message.ts';
import { type DigestChallenge, parseChallenges } from './digest-challenge.ts';
import { type Credentials, formatAuthorization } from './digest-response.ts';

/** `retry`: headers for the repeated request. `refused`: the challenge cannot be answered. */
export type ChallengeOutcome =
  | { readonly type: 'retry'; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: 'refused'; readonly reason: string };

/** A server challenges by 401, a proxy by 407 (RFC 3261 §22). */
const CHALLENGERS = [
  { status: 401, challenge: 'WWW-Authenticate', response: 'Authorization' },
  { status: 407, challenge: 'Proxy-Authenticate', response: 'Proxy-Authorization' },
] as const;

/** Nonces with a remembered count: those of one server and one proxy, and their predecessors. */
const NONCES_MAX = 4;
/** Stale nonces in a row, before the exchange is abandoned. */
const STALE_MAX = 2;

/** The client side of digest (RFC 7616, RFC 8760) for one call or registration. Counts the uses of each nonce. */
export class DigestClient {
  readonly #credentials: Credentials | null;
  readonly #newCnonce: () => string;
  readonly #counts = new Map<string, number>();

  /** @param credentials null: every challenge is refused. */
  constructor(credentials: Credentials | null, newCnonce: () => string) {
    this.#credentials = credentials;
    this.#newCnonce = newCnonce;
  }

  /** Whether there are credentials to answer a challenge with. */
  get hasCredentials(): boolean {
    return this.#credentials !== null;
  }

  /** Starts the exchange of one request and its repetitions. */
  exchange(): DigestExchange {
    return new DigestExchange(this.#credentials, (challenge, credentials, request) => {
      const nonceCount = (this.#counts.get(challenge.nonce) ?? 0) + 1;
      this.#counts.delete(challenge.nonce);
      this.#counts.set(challenge.nonce, nonceCount);
      const oldest = this.#counts.keys().next().value;
      if (this.#counts.size > NONCES_MAX && oldest !== undefined) this.#counts.delete(oldest);
      return formatAuthorization(challenge, credentials, { ...request, cnonce: this.#newCnonce(), nonceCount });
    });
  }
}

type SignRequest = (
  challenge: DigestChallenge,
  credentials: Credentials,
  request: { readonly method: string; readonly uri: string },
) => string;

/**
 * One request and its challenges. Answers each challenger once, and twice more if it reports a stale nonce.
 */
export class DigestExchange {
  readonly #credentials: Credentials | null;
  readonly #sign: SignRequest;
  /** By the name of the authorization header. */
  readonly #answeredChallenges = new Map<string, { readonly challenge: DigestChallenge; readonly staleSeen: number }>();

  constructor(credentials: Credentials | null, sign: SignRequest) {
    this.#credentials = credentials;
    this.#sign = sign;
  }

  /**
   * Answers a 401 or 407.
   * @param request the refused request: its method, and its Request-URI as sent.
   * * @returns all authorization headers of the repeated request.
   */
  challenged(
    status: number,
    headers: readonly SipHeader[],
    request: { readonly method: string; readonly uri: string },
  ): ChallengeOutcome {
    const credentials = this.#credentials;
    const challenger = CHALLENGERS.find((candidate) => candidate.status === status);
    if (challenger === undefined) return refused(`a ${status} is not a challenge`);
    if (credentials === null) return refused('the trunk requires a password, but none is configured');
    const [challenge] = parseChallenges(getHeaderLines(headers, challenger.challenge));
    if (challenge === undefined) return refused('the trunk requires an unsupported authentication');
    const before = this.#answeredChallenges.get(challenger.response);
    const staleSeen = (before?.staleSeen ?? 0) + (challenge.stale ? 1 : 0);
    if (before !== undefined && !(challenge.stale && staleSeen <= STALE_MAX)) {
      return refused(`the trunk rejects the username or password (realm "${challenge.realm}")`);
    }
    this.#answeredChallenges.set(challenger.response, { challenge, staleSeen: before === undefined ? 0 : staleSeen });
    const signed = [...this.#answeredChallenges].map(([name, { challenge: answered }]) => [
      name,
      this.#sign(answered, credentials, request),
    ]);
    if (!signed.every(([, value]) => isSafeHeaderValue(value ?? ''))) {
      return refused('a username or challenge with characters that a header cannot hold');
    }
    return { type: 'retry', headers: Object.fromEntries(signed) };
  }
}

function refused(reason: string): ChallengeOutcome {
  return { type: 'refused', reason };
}
