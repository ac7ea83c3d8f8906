/** Challenges whose answer is expected. Beyond: the oldest is forgotten, and its answer gets one token less back. */
const CHALLENGED_MAX = 4_096;

/**
 * The challenges that cost a token and answered no guess: the INVITE had no credentials, or its nonce alone was old. The caller repeats
 * the INVITE with the same Call-ID (RFC 3261 §22.2). Once that one succeeds, the challenge did not count. Without this check an INVITE
 * with any credentials would return tokens of earlier wrong guesses.
 */
export class ChallengedInvites {
  /** In the order of the challenges. */
  readonly #keys = new Set<string>();

  /** @param source the unit of the limits, from `sourceNetworkOf` */
  add(source: string, callId: string): void {
    this.#keys.add(`${source} ${callId}`);
    if (this.#keys.size <= CHALLENGED_MAX) return;
    const [oldest] = this.#keys;
    if (oldest !== undefined) this.#keys.delete(oldest);
  }

  /** The tokens to return for an INVITE that succeeded: its own, and that of its challenge, once. */
  tokensOfSuccess(source: string, callId: string): number {
    return this.#keys.delete(`${source} ${callId}`) ? 2 : 1;
  }
}
