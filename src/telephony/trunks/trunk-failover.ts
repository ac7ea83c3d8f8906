import type { OutboundAttempt, OutboundOutcome } from '../../../sip/signalling/signalling.ts';

/** One of the trunks that a call may go out through. */
export interface TrunkRoute {
  /** null: a host that is no trunk. */
  readonly trunkId: string | null;
  /** Takes capacity of the trunk. Resolves with its release; null if the trunk is at its limits. */
  readonly take: () => Promise<(() => void) | null>;
  /** Begins an attempt, which releases the capacity at its end. Throws for a request that can never be sent. */
  readonly begin: (release: () => void) => OutboundAttempt;
}

/** A trunk that failed, or is at its limits. */
export interface TrunkFailure {
  readonly trunkId: TrunkRoute['trunkId'];
  /** The trunk that is tried next; null: none. */
  readonly nextTrunkId: string | null;
  readonly reason: string;
}

const REQUEST_TIMEOUT = 408;
const SERVICE_UNAVAILABLE = 503;

/**
 * One attempt over several trunks, one after another. The next trunk is tried if the current one is at its limits, is unreachable, or
 * answers 408 or 503 (RFC 3263 §4.3, RFC 3261 §21.5.4). After the first ringing no other trunk is tried. The embedded server answers
 * 408 for a silent trunk.
 */
export class TrunkFailover implements OutboundAttempt {
  readonly outcome: Promise<OutboundOutcome>;
  #current: OutboundAttempt | null = null;
  #cancelled = false;
  #rang = false;
  #onRinging: () => void = () => {};
  readonly #onFailed: (failure: TrunkFailure) => void;

  /** Begins with the first trunk below its limits. `onFailed`: called for each trunk that fails, the last one included. */
  constructor(routes: readonly TrunkRoute[], onFailed: (failure: TrunkFailure) => void) {
    this.#onFailed = onFailed;
    this.outcome = this.#run(routes);
  }

  /** Call-ID of the current attempt; '' before the first. */
  get sipCallId(): string {
    return this.#current?.sipCallId ?? '';
  }

  onRinging(listener: () => void): void {
    this.#onRinging = listener;
    if (this.#rang) queueMicrotask(listener);
  }

  cancel(): void {
    this.#cancelled = true;
    this.#current?.cancel();
  }

  async #run(routes: readonly TrunkRoute[]): Promise<OutboundOutcome> {
    let last: OutboundOutcome = { type: 'refused', status: null, reason: 'every trunk is at its limits' };
    for (const [nth, { begin, take, trunkId }] of routes.entries()) {
      if (this.#cancelled) return { type: 'cancelled' };
      const release = await take();
      if (this.#cancelled) {
        release?.();
        return { type: 'cancelled' };
      }
      const outcome = release && (await this.#try(() => begin(release)));
      if (outcome !== null && (this.#rang || !isTrunkFailure(outcome))) return outcome;
      if (outcome !== null) last = outcome;
      const nextTrunkId = this.#cancelled ? null : (routes[nth + 1]?.trunkId ?? null);
      const reason = outcome?.type === 'refused' ? outcome.reason : 'it is at its limits';
      this.#onFailed({ trunkId, nextTrunkId, reason });
    }
    return last;
  }

  async #try(begin: () => OutboundAttempt): Promise<OutboundOutcome> {
    try {
      const attempt = begin();
      this.#current = attempt;
      attempt.onRinging(() => {
        this.#rang = true;
        this.#onRinging();
      });
      return await attempt.outcome;
    } catch (error) {
      return { type: 'refused', status: null, reason: error instanceof Error ? error.message : String(error) };
    }
  }
}

function isTrunkFailure(outcome: OutboundOutcome): boolean {
  if (outcome.type !== 'refused') return false;
  const { status } = outcome;
  return status === null || status === REQUEST_TIMEOUT || status === SERVICE_UNAVAILABLE;
}
