import type { ProviderErrorCode } from '../../engine/ports/provider-error.ts';

/** Failures in a row after which nobody asks any more: more than one caller's bad luck. */
const FAILURES_MAX = 5;
/** The row must fall into this, or they are no outage. Unit: ms. */
const WINDOW_MS = 30_000;
/** From the opening, or a probe that failed, to the next probe. Callers with another model lose nothing by waiting. */
const REST_MS = 5_000;

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

export type Outcome = 'worked' | 'cancelled' | ProviderErrorCode;

/**
 * Shared by all calls that use one provider with one base URL and one key. Closed: all may ask. Open: nobody. After the
 * rest one request, a call's own, probes: it closes the circuit or opens it anew. Holds three numbers, whatever happens.
 */
export class CircuitBreaker {
  readonly #nowMs: () => number;
  #failures = 0;
  #firstFailureMs = 0;
  #openUntilMs: number | null = null;
  #isProbing = false;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Null: the circuit is open. Else one may ask, and tells once through the function how it went. */
  enter(): ((outcome: Outcome) => void) | null {
    const isProbe = this.#openUntilMs !== null;
    if (this.#openUntilMs !== null) {
      if (this.#isProbing || this.#nowMs() < this.#openUntilMs) return null;
      this.#isProbing = true;
    }
    let isTold = false;
    return (outcome) => {
      if (isTold) return;
      isTold = true;
      if (isProbe) this.#isProbing = false;
      if (outcome === 'cancelled') return;
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
