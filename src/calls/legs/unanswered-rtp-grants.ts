import type { UnansweredRtpBudget } from './unanswered-rtp-budget.ts';

/**
 * Ms of RTP that one call sends to addresses from which nothing has come. Long enough for a gateway beside the caller's SIP
 * address to start; third parties get at most 100 packets a call.
 */
const CALL_UNANSWERED_MS_MAX = 2_000;
/**
 * The first grant for an address: five packets. Packets of a genuine caller arrive about when its ACK does. So the budget of a
 * network is enough for 20 callers a minute; for further callers, audio waits for their first packet.
 */
export const FIRST_GRANT_MS = 100;

/**
 * The RTP that one call may send to addresses from which nothing has come: a short grant for each address that SDP names, the
 * rest once that is used. The media adds up all addresses of the call, and so does the bound. The rest of the bound never
 * exceeds the grant of the current address.
 */
export class UnansweredRtpGrants {
  readonly #budget: Pick<UnansweredRtpBudget, 'take'>;
  #address: string | null = null;
  #grantMs = 0;
  /** The media has certainly sent this much. */
  #usedMs = 0;

  constructor(budget: Pick<UnansweredRtpBudget, 'take'>) {
    this.#budget = budget;
  }

  /** The bound of the call, in ms, while its SDP names this address. Takes a grant if the address has changed. */
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
