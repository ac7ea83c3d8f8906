import type { ProviderError, ProviderErrorCode } from '../../../engine/ports/provider-error.ts';
import { providerFailure } from '../../provider-failure/provider-failure.ts';

/** Consecutive failures that open the circuit: more than one call's bad luck. */
export const FAILURES_MAX = 5;
/** The failures count as an outage only within this time. Unit: ms. */
export const WINDOW_MS = 30_000;
/** Time from the opening, or from a failed probe, to the next probe. Unit: ms. */
export const OPEN_MS = 5_000;

/** A probe without an outcome for this long (a silent user) no longer blocks the next one. Unit: ms. */
export const PROBE_MS_MAX = 5_000;
/**
 * The engine's timeouts are shorter than the adapters', and never shorter than this. So a request that was cancelled later,
 * without any response, counts as a timeout. Unit: ms.
 */
export const CANCELLED_TIMEOUT_MS = 2_000;

/** Whether an error means that the provider is down, and not that it rejects this request, key or rate. */
const OUTAGE: Readonly<Record<ProviderErrorCode, boolean>> = {
  unavailable: true,
  timeout: true,
  closed: true,
  malformed: true,
  unauthorized: false,
  rate_limited: false,
  bad_request: false,
};

/** `cancelled`: before any response; `no_request`: the provider received no request. */
export type RequestOutcome = 'worked' | 'cancelled' | 'no_request' | ProviderErrorCode;

/** `error`: the failure of the outcome, for the requests that are refused because of it. */
export type ReportOutcome = (outcome: RequestOutcome, error?: ProviderError) => void;

/**
 * Shared by all calls of one provider, base URL and key. Closed: requests pass. Open: no request passes. Half-open, 5 s later:
 * one call's request probes, and closes the circuit or opens it again. It holds four numbers and the last failure.
 */
export class CircuitBreaker {
  readonly #nowMs: () => number;
  #failures = 0;
  #firstFailureMs = 0;
  #openUntilMs: number | null = null;
  #probingSinceMs: number | null = null;
  #lastError: ProviderError | null = null;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Null if the circuit is open. Otherwise the caller sends its request, and reports the outcome once. */
  enter(): ReportOutcome | null {
    const isProbe = this.#openUntilMs !== null;
    if (this.#openUntilMs !== null) {
      const nowMs = this.#nowMs();
      const isProbing = this.#probingSinceMs !== null && nowMs - this.#probingSinceMs < PROBE_MS_MAX;
      if (isProbing || nowMs < this.#openUntilMs) return null;
      this.#probingSinceMs = nowMs;
    }
    const enteredMs = this.#nowMs();
    let isReported = false;
    return (reported, error) => {
      if (isReported) return;
      isReported = true;
      if (error !== undefined) this.#lastError = error;
      const hasTimedOut = reported === 'cancelled' && this.#nowMs() - enteredMs >= CANCELLED_TIMEOUT_MS;
      const outcome = hasTimedOut ? 'timeout' : reported;
      if (isProbe) this.#probingSinceMs = null;
      if (outcome === 'cancelled' || outcome === 'no_request') return;
      if (outcome === 'worked' || !OUTAGE[outcome]) this.#close();
      else this.#fail(isProbe);
    };
  }

  /** Also while a probe is under way. */
  get isOpen(): boolean {
    return this.#openUntilMs !== null;
  }

  get lastError(): ProviderError | null {
    return this.#lastError;
  }

  /** Time until the next probe, in ms; 0 if the circuit is closed or a probe is under way. */
  untilProbeMs(): number {
    return this.#openUntilMs === null ? 0 : Math.max(0, Math.ceil(this.#openUntilMs - this.#nowMs()));
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
    if (wasProbe || this.#failures >= FAILURES_MAX) this.#openUntilMs = nowMs + OPEN_MS;
  }
}

/**
 * The failure while the circuit is open, with the reason of the last one. Another provider responds sooner than this one
 * recovers; without one, a retry may be the next probe.
 */
export function openCircuitFailure(provider: string, breaker: CircuitBreaker): ProviderError {
  const { lastError } = breaker;
  const reason = lastError === null ? '' : `: ${lastError.message}`;
  return providerFailure(provider, 'unavailable', `failed several times in a row${reason}`, {
    httpStatus: lastError?.httpStatus,
    retryAfterMs: breaker.untilProbeMs(),
  });
}
