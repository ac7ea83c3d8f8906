import { beforeEach, describe, expect, it } from 'vitest';
import { CircuitBreaker, type RequestOutcome } from '../../../adapters/decorators/circuit-breaker/circuit-breaker.ts';

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

  it('opens after five consecutive failures, and lets no request pass while open', () => {
    for (let failure = 0; failure < 5; failure++) expect(ask('unavailable')).toBe(true);
    expect(ask('worked')).toBe(false);
    nowMs += 4_999;
    expect(ask('worked')).toBe(false);
  });

  it('reports the time until its next probe', () => {
    expect(breaker.untilProbeMs()).toBe(0);
    for (let failure = 0; failure < 5; failure++) ask('unavailable');
    expect(breaker.untilProbeMs()).toBe(5_000);
    nowMs += 2_000;
    expect(breaker.untilProbeMs()).toBe(3_000);
    nowMs += 3_000;
    expect(breaker.enter()).not.toBeNull();
    expect(breaker.untilProbeMs()).toBe(0);
  });

  it('a request cancelled after two seconds without a response counts as a failure, an earlier one does not', () => {
    const cancelled = (afterMs: number, outcome: RequestOutcome = 'cancelled') => {
      const report = breaker.enter();
      nowMs += afterMs;
      report?.(outcome);
    };
    for (let call = 0; call < 10; call++) cancelled(1_999);
    for (let call = 0; call < 10; call++) cancelled(60_000, 'no_request');
    for (let call = 0; call < 5; call++) {
      expect(breaker.enter()).not.toBeNull();
      cancelled(2_000);
    }
    expect(breaker.enter()).toBeNull();
  });

  it('a probe without an outcome is replaced by the next one after five seconds', () => {
    for (let failure = 0; failure < 5; failure++) ask('timeout');
    nowMs += 5_000;
    const lateReport = breaker.enter();
    nowMs += 4_999;
    expect(breaker.enter()).toBeNull();
    nowMs += 1;
    expect(ask('worked')).toBe(true);
    // A late outcome of the first probe counts like any other.
    lateReport?.('worked');
    expect(ask('worked')).toBe(true);
  });

  it('when half-open, one request probes; all others wait for its outcome', () => {
    for (let failure = 0; failure < 5; failure++) ask('timeout');
    nowMs += 5_000;
    const probe = breaker.enter();
    expect(probe).not.toBeNull();
    expect(breaker.enter()).toBeNull();
    probe?.('worked');
    expect(ask('unavailable')).toBe(true);
    expect(ask('worked')).toBe(true);
  });

  it('a failed probe opens it again; after a cancelled one the next request probes', () => {
    for (let failure = 0; failure < 5; failure++) ask('closed');
    nowMs += 5_000;
    expect(ask('cancelled')).toBe(true);
    expect(ask('malformed')).toBe(true);
    expect(ask('worked')).toBe(false);
    nowMs += 5_000;
    expect(ask('worked')).toBe(true);
    expect(ask('worked')).toBe(true);
  });

  it('one success among the failures keeps it closed', () => {
    for (let round = 0; round < 10; round++) {
      for (let failure = 0; failure < 4; failure++) expect(ask('unavailable')).toBe(true);
      expect(ask('worked')).toBe(true);
    }
  });

  it('failures far apart do not open it', () => {
    for (let failure = 0; failure < 20; failure++) {
      expect(ask('unavailable')).toBe(true);
      nowMs += 10_000;
    }
  });

  it.each(['unauthorized', 'rate_limited', 'bad_request', 'cancelled'] as const)(
    'ignores an outcome that does not show whether the provider is up: %s',
    (outcome) => {
      for (let round = 0; round < 20; round++) expect(ask(outcome)).toBe(true);
    },
  );

  it('counts only the first of two outcomes of a request', () => {
    for (let failure = 0; failure < 4; failure++) ask('unavailable');
    const report = breaker.enter();
    report?.('worked');
    report?.('unavailable');
    expect(ask('worked')).toBe(true);
  });
});
