import { beforeEach, describe, expect, it } from 'vitest';
import {
  CANCELLED_TIMEOUT_MS,
  CircuitBreaker,
  FAILURES_MAX,
  OPEN_MS,
  PROBE_MS_MAX,
  type RequestOutcome,
  WINDOW_MS,
} from '../../../adapters/decorators/circuit-breaker/circuit-breaker.ts';

describe('circuit breaker', () => {
  let nowMs = 0;
  let breaker: CircuitBreaker;

  beforeEach(() => {
    nowMs = 1_000;
    breaker = new CircuitBreaker(() => nowMs);
  });

  function ask(outcome: RequestOutcome): boolean {
    const report = breaker.enter();
    report?.(outcome);
    return report !== null;
  }

  it('opens after the maximum of consecutive failures, and lets no request pass while open', () => {
    for (let failure = 0; failure < FAILURES_MAX; failure++) expect(ask('unavailable')).toBe(true);
    expect(ask('worked')).toBe(false);
    nowMs += OPEN_MS - 1;
    expect(ask('worked')).toBe(false);
  });

  it('reports the time until its next probe', () => {
    expect(breaker.untilProbeMs()).toBe(0);
    for (let failure = 0; failure < FAILURES_MAX; failure++) ask('unavailable');
    expect(breaker.untilProbeMs()).toBe(OPEN_MS);
    nowMs += 2_000;
    expect(breaker.untilProbeMs()).toBe(OPEN_MS - 2_000);
    nowMs += OPEN_MS - 2_000;
    expect(breaker.enter()).not.toBeNull();
    expect(breaker.untilProbeMs()).toBe(0);
  });

  it('a request cancelled after the timeout without a response counts as a failure, an earlier one does not', () => {
    const cancelled = (afterMs: number, outcome: RequestOutcome = 'cancelled') => {
      const report = breaker.enter();
      nowMs += afterMs;
      report?.(outcome);
    };
    for (let call = 0; call < 2 * FAILURES_MAX; call++) cancelled(CANCELLED_TIMEOUT_MS - 1);
    for (let call = 0; call < 2 * FAILURES_MAX; call++) cancelled(60_000, 'no_request');
    for (let call = 0; call < FAILURES_MAX; call++) {
      expect(breaker.enter()).not.toBeNull();
      cancelled(CANCELLED_TIMEOUT_MS);
    }
    expect(breaker.enter()).toBeNull();
  });

  it('a probe without an outcome is replaced by the next one after its maximum', () => {
    for (let failure = 0; failure < FAILURES_MAX; failure++) ask('timeout');
    nowMs += OPEN_MS;
    const lateReport = breaker.enter();
    nowMs += PROBE_MS_MAX - 1;
    expect(breaker.enter()).toBeNull();
    nowMs += 1;
    expect(ask('worked')).toBe(true);
    // A late outcome of the first probe counts like any other.
    lateReport?.('worked');
    expect(ask('worked')).toBe(true);
  });

  it('when half-open, one request probes; all others wait for its outcome', () => {
    for (let failure = 0; failure < FAILURES_MAX; failure++) ask('timeout');
    nowMs += OPEN_MS;
    const probe = breaker.enter();
    expect(probe).not.toBeNull();
    expect(breaker.enter()).toBeNull();
    probe?.('worked');
    expect(ask('unavailable')).toBe(true);
    expect(ask('worked')).toBe(true);
  });

  it('a failed probe opens it again; after a cancelled one the next request probes', () => {
    for (let failure = 0; failure < FAILURES_MAX; failure++) ask('closed');
    nowMs += OPEN_MS;
    expect(ask('cancelled')).toBe(true);
    expect(ask('malformed')).toBe(true);
    expect(ask('worked')).toBe(false);
    nowMs += OPEN_MS;
    expect(ask('worked')).toBe(true);
    expect(ask('worked')).toBe(true);
  });

  it('one success among the failures keeps it closed', () => {
    for (let round = 0; round < 2 * FAILURES_MAX; round++) {
      for (let failure = 0; failure < FAILURES_MAX - 1; failure++) expect(ask('unavailable')).toBe(true);
      expect(ask('worked')).toBe(true);
    }
  });

  it('failures far apart do not open it', () => {
    for (let failure = 0; failure < 4 * FAILURES_MAX; failure++) {
      expect(ask('unavailable')).toBe(true);
      nowMs += WINDOW_MS / (FAILURES_MAX - 2);
    }
  });

  it.each(['unauthorized', 'rate_limited', 'bad_request', 'cancelled'] as const)(
    'ignores an outcome that does not show whether the provider is up: %s',
    (outcome) => {
      for (let round = 0; round < 4 * FAILURES_MAX; round++) expect(ask(outcome)).toBe(true);
    },
  );

  it('counts only the first of two outcomes of a request', () => {
    for (let failure = 0; failure < FAILURES_MAX - 1; failure++) ask('unavailable');
    const report = breaker.enter();
    report?.('worked');
    report?.('unavailable');
    expect(ask('worked')).toBe(true);
  });
});
