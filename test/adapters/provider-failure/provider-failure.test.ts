import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  codeOfStatus,
  providerFailure,
  retryAfterMs,
  shownCode,
} from '../../../adapters/provider-failure/provider-failure.ts';

const NOW_WALL_MS = Date.parse('2025-05-02T12:00:00Z');

describe('provider failure', () => {
  it.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [429, 'rate_limited'],
    [408, 'timeout'],
    [409, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [400, 'bad_request'],
    [402, 'bad_request'],
    [404, 'bad_request'],
    [422, 'bad_request'],
  ] as const)('HTTP status %i is %s', (status, code) => {
    expect(codeOfStatus(status)).toBe(code);
  });

  it('omits absent details instead of setting undefined, because the error crosses threads and is taped', () => {
    expect(Object.keys(providerFailure('p', 'timeout', 'm', { httpStatus: undefined }))).toEqual([
      'provider',
      'code',
      'message',
      'retryable',
    ]);
  });

  it.each([
    ['1500', '7', 1_500],
    [undefined, '7', 7_000],
    [null, '0', 0],
    [undefined, ' 2.5 ', 2_500],
    [undefined, 'Fri, 02 May 2025 12:00:10 GMT', 10_000],
    [undefined, 'Fri, 02 May 2025 11:59:00 GMT', 0],
    [undefined, '99999999', 600_000],
    [undefined, '-1', undefined],
    [undefined, 'soon', undefined],
    [undefined, '', undefined],
    [undefined, undefined, undefined],
  ])('retry-after-ms %s and Retry-After %s are a wait of %s', (exact, header, ms) => {
    expect(retryAfterMs(exact, header, NOW_WALL_MS)).toBe(ms);
  });

  it('bounds the retry delay of any header', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (exact, header) => {
        const ms = retryAfterMs(exact, header, NOW_WALL_MS) ?? 0;
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual(600_000);
      }),
    );
  });

  it.each(['sk-proj-abc', 'Incorrect API key provided: x', '+491701234567', 'x'.repeat(60), 7, null, {}])(
    'does not show a possible secret or number: %s',
    (code) => {
      expect(shownCode(code)).toBe('');
    },
  );
});
