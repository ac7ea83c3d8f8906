import { describe, expect, it } from 'vitest';
import { chooseProvider, isStall, recentRetries } from '../../../engine/failover/retry-or-next-provider.ts';
import type { ProviderError } from '../../../engine/ports/provider-error.ts';

const RETRIES_WITHIN_US = 30_000_000;
const RETRY = { type: 'retry' };
const NONE = { type: 'none' };
const next = (index: number) => ({ type: 'next', index });
const error = (changes: Partial<ProviderError>): ProviderError => ({
  provider: 'test',
  code: 'unavailable',
  message: 'no',
  retryable: true,
  ...changes,
});

describe('a failed provider', () => {
  const chosen = (
    failing: { retryable?: boolean; stalled?: boolean },
    hasRetry = true,
    isUnavailable = [false, false],
  ) => chooseProvider(0, isUnavailable, { retryable: true, stalled: false, ...failing }, hasRetry);

  it('is asked again while it has a retry', () => {
    expect(chosen({})).toEqual(RETRY);
    expect(chosen({}, false)).toEqual(next(1));
    expect(chosen({ retryable: false })).toEqual(next(1));
  });

  it('is asked again after a stall only if no other is left', () => {
    expect(chosen({ stalled: true })).toEqual(next(1));
    expect(chosen({ stalled: true }, true, [false, true])).toEqual(RETRY);
    expect(chosen({ stalled: true }, true, [false])).toEqual(RETRY);
  });

  it('has no successor if each other one is unavailable', () => {
    expect(chosen({}, false, [false, true])).toEqual(NONE);
    expect(chosen({ retryable: false }, true, [true])).toEqual(NONE);
    expect(chosen({ stalled: true }, false, [false, true])).toEqual(NONE);
  });

  it('is replaced by the first one of the list that is available', () => {
    const failing = { retryable: false, stalled: false };
    expect(chooseProvider(2, [true, false, false, false], failing, true)).toEqual(next(1));
    expect(chooseProvider(1, [false, false], { retryable: true, stalled: true }, true)).toEqual(next(0));
    expect(chooseProvider(1, [false, false], failing, true)).toEqual(next(0));
  });
});

describe('a failure stalls the call', () => {
  it('at a timeout, a rate limit, or with a requested delay', () => {
    expect(isStall(error({ code: 'timeout' }))).toBe(true);
    expect(isStall(error({ code: 'rate_limited' }))).toBe(true);
    expect(isStall(error({ retryAfterMs: 1 }))).toBe(true);
  });

  it('not otherwise', () => {
    expect(isStall(error({}))).toBe(false);
    expect(isStall(error({ retryAfterMs: 0 }))).toBe(false);
  });
});

it('a retry counts for 30 s', () => {
  const nowUs = 100_000_000;
  const [old, recent] = [nowUs - RETRIES_WITHIN_US, nowUs - RETRIES_WITHIN_US + 1];
  expect(recentRetries([old, recent, nowUs], nowUs)).toEqual([recent, nowUs]);
});
