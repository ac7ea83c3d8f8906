import type { UnansweredRtpBudget } from './unanswered-rtp-budget.ts';

/**
 * Ms of RTP that one call sends to addresses from which nothing has come. Long enough for a gateway beside the caller's SIP
 * address to start; third parties get at most 100 packets a call.
 */
const CALL_UNANSWERED_MS_MAX = 2_000;
/**
 * The first grant for an address: five packets. An honest caller's packets come about with its ACK. So the budget of a network
 * is enough for 20 such callers a minute; to further ones, audio waits for their first packet.
 */
export const FIRST_GRANT_MS = 100;

/**
 * What one call may send unanswered: a short grant for each address that SDP names, the rest once that is used. The media adds up
 * all addresses of the call, and so does the bound; what is left of it is never more than the grant of the current address.
 */
export class UnansweredGrants {
  readonly #budget: Pick<UnansweredRtpBudget, 'take'>;
  #address: string | null = null;
  #grantMs = 0;
  /** The media has certainly sent this much. */
  #usedMs = 0;

  constructor(budget: Pick<UnansweredRtpBudget, 'take'>) {
    this.#budget = budget;
  }

  /** The bound of the call, in ms, while its SDP names this address. Takes a grant if the address is another one than before. */
  msMaxFor(address: string): number {
    if (address !== this.#address) {
      this.#address = address;
      this.#take(FIRST_GRANT_MS);
    }
    return this.#usedMs + this.#grantMs;
  }

  /** The media has used the grant. @returns whether there is another one; an address that got none gets none later. */
  extend(): boolean {
    if (this.#grantMs === 0) return false;
    this.#usedMs += this.#grantMs;
    this.#take(CALL_UNANSWERED_MS_MAX);
    return this.#grantMs > 0;
  }

  #take(wantedMs: number): void {
    const leftMs = CALL_UNANSWERED_MS_MAX - this.#usedMs;
    this.#grantMs = this.#address === null ? 0 : this.#budget.take(this.#address, Math.min(wantedMs, leftMs));
  }
}
