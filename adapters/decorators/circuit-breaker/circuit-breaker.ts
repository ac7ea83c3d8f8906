import type { ProviderError, ProviderErrorCode } from '../../../engine/ports/provider-error.ts';
import { providerFailure } from '../../provider-failure/provider-failure.ts';

/** Failures in a row after which nobody asks any more: more than one caller's bad luck. */
const FAILURES_MAX = 5;
/** The row must fall into this, or they are no outage. Unit: ms. */
const WINDOW_MS = 30_000;
/** From the opening, or a probe that failed, to the next probe. Callers with another model lose nothing by waiting. */
const REST_MS = 5_000;

/** A probe that nobody tells of for so long, such as of a caller who says nothing, keeps no other one from probing. */
const PROBE_MS_MAX = 5_000;
/**
 * The call's rules lose patience before the adapters do, and cancel: no shorter wait of theirs ends a request, so that
 * one which was cancelled later, with nothing come of it, has failed. Unit: ms.
 */
const CANCELLED_TIMEOUT_MS = 2_000;

/** What says that the provider is down, rather than that it dislikes this request, this key, or this rate. */
const OUTAGE: Readonly<Record<ProviderErrorCode, boolean>> = {
  unavailable: true,
  timeout: true,
  closed: true,
  malformed: true,
  unauthorized: false,
  rate_limited: false,
  bad_request: false,
};

/** `cancelled`: before anything came; `unasked`: nothing was owed. */
export type RequestOutcome = 'worked' | 'cancelled' | 'unasked' | ProviderErrorCode;

/**
 * Shared by all calls that use one provider with one base URL and one key. Closed: all may ask. Open: nobody. After the
 * rest one request, a call's own, probes: it closes the circuit or opens it anew. Holds four numbers, whatever happens.
 */
export class CircuitBreaker {
  readonly #nowMs: () => number;
  #failures = 0;
  #firstFailureMs = 0;
  #openUntilMs: number | null = null;
  #probingSinceMs: number | null = null;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Null: the circuit is open. Else one may ask, and tells once through the function how it went. */
  enter(): ((outcome: RequestOutcome) => void) | null {
    const isProbe = this.#openUntilMs !== null;
    if (this.#openUntilMs !== null) {
      const nowMs = this.#nowMs();
      const isProbing = this.#probingSinceMs !== null && nowMs - this.#probingSinceMs < PROBE_MS_MAX;
      if (isProbing || nowMs < this.#openUntilMs) return null;
      this.#probingSinceMs = nowMs;
    }
    const enteredMs = this.#nowMs();
    let isReported = false;
    return (reported) => {
      if (isReported) return;
      isReported = true;
      const hasTimedOut = reported === 'cancelled' && this.#nowMs() - enteredMs >= CANCELLED_TIMEOUT_MS;
      const outcome = hasTimedOut ? 'timeout' : reported;
      if (isProbe) this.#probingSinceMs = null;
      if (outcome === 'cancelled' || outcome === 'unasked') return;
      if (outcome === 'worked' || !OUTAGE[outcome]) this.#close();
      else this.#fail(isProbe);
    };
  }

  #close(): void {
    this.#failures = 0;
    this.#openUntilMs = null;
  }

  #fail(wasProbe: boolean): void {
    const nowMs = this.#nowMs();
    if (this.#failures === 0 || nowMs - this.#firstFailureMs > WINDOW_MS) {
      this.#failures = 0;
      this.#firstFailureMs = nowMs;
    }
    this.#failures++;
    if (wasProbe || this.#failures >= FAILURES_MAX) this.#openUntilMs = nowMs + REST_MS;
  }
}

/** What is told while the circuit is open. Not retryable: another provider answers sooner than this one recovers. */
export function openCircuitFailure(provider: string): ProviderError {
  const message = 'failed several times in a row and rests for some seconds';
  return providerFailure(provider, 'unavailable', message, { retryable: false });
}
