import { isSafeHeaderValue } from '../message/custom-headers.ts';
import { getHeaderLines } from '../message/headers.ts';
import type { SipHeader } from '../message/sip-message.ts';
import { type DigestChallenge, parseChallenges } from './digest-challenge.ts';
import { type Credentials, formatAuthorization } from './digest-response.ts';

/** Headers to send the request again with, or why that would lead nowhere. */
export type ChallengeOutcome =
  | { readonly type: 'retry'; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: 'refused'; readonly reason: string };

/** A server challenges by 401, a proxy by 407 (RFC 3261 §22). */
const CHALLENGERS = [
  { status: 401, challenge: 'WWW-Authenticate', answer: 'Authorization' },
  { status: 407, challenge: 'Proxy-Authenticate', answer: 'Proxy-Authorization' },
] as const;

/** Nonces with a remembered count: those of one server and one proxy, and their predecessors. */
const NONCES_MAX = 4;
/** A server that calls each new nonce stale again would never be content. */
const STALE_MAX = 2;

/** The client side of digest (RFC 7616, RFC 8760) for one call or registration: it counts how often a nonce was used. */
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

  /** For one request and its repetitions. */
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

type Answering = (
  challenge: DigestChallenge,
  credentials: Credentials,
  request: { readonly method: string; readonly uri: string },
) => string;

/**
 * One request and its challenges. Bounded: each challenger is answered once, and twice more where it calls the nonce
 * stale.
 */
export class DigestExchange {
  readonly #credentials: Credentials | null;
  readonly #sign: Answering;
  /** By the header of the answer. */
  readonly #answeredChallenges = new Map<string, { readonly challenge: DigestChallenge; readonly staleSeen: number }>();

  constructor(credentials: Credentials | null, answer: Answering) {
    this.#credentials = credentials;
    this.#sign = answer;
  }

  /**
   * Answers a 401 or 407.
   * @param request the refused request: its method, and its Request-URI as sent.
   * @returns every authorization header that the repetition carries.
   */
  challenged(
    status: number,
    headers: readonly SipHeader[],
    request: { readonly method: string; readonly uri: string },
  ): ChallengeOutcome {
    const credentials = this.#credentials;
    const challenger = CHALLENGERS.find((one) => one.status === status);
    if (challenger === undefined) return refused(`a ${status} is no challenge`);
    if (credentials === null) return refused('the trunk requires a password, but none is configured');
    const [challenge] = parseChallenges(getHeaderLines(headers, challenger.challenge));
    if (challenge === undefined) return refused('the trunk requires an unsupported authentication');
    const before = this.#answeredChallenges.get(challenger.answer);
    const staleSeen = (before?.staleSeen ?? 0) + (challenge.stale ? 1 : 0);
    if (before !== undefined && !(challenge.stale && staleSeen <= STALE_MAX)) {
      return refused(`the trunk rejects the username or password (realm "${challenge.realm}")`);
    }
    this.#answeredChallenges.set(challenger.answer, { challenge, staleSeen: before === undefined ? 0 : staleSeen });
    const answers = [...this.#answeredChallenges].map(([name, one]) => [
      name,
      this.#sign(one.challenge, credentials, request),
    ]);
    if (!answers.every(([, value]) => isSafeHeaderValue(value ?? ''))) {
      return refused('a username or challenge with characters that a header cannot hold');
    }
    return { type: 'retry', headers: Object.fromEntries(answers) };
  }
}

function refused(reason: string): ChallengeOutcome {
  return { type: 'refused', reason };
}
