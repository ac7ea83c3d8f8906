import { expect } from 'vitest';
import type { ProviderError } from '../../../engine/ports/provider-error.ts';

/**
 * The provider failures that each contract suite plays, with the error that the port must report. `no_answer`: no response
 * to a connection attempt or request; `no_first_byte`: an accepted request gets no data.
 */
export const FAILURES = {
  unauthorized: { code: 'unauthorized', retryable: false, httpStatus: 401 },
  rate_limited: { code: 'rate_limited', retryable: true, httpStatus: 429, retryAfterMs: 7_000 },
  server_error: { code: 'unavailable', retryable: true, httpStatus: 500 },
  refused_connection: { code: 'unavailable', retryable: true },
  no_answer: { code: 'timeout', retryable: true },
  no_first_byte: { code: 'timeout', retryable: true },
  stalled: { code: 'timeout', retryable: true },
  closed: { code: 'closed', retryable: true },
  reset: { code: 'closed', retryable: true },
  half_frame: { code: 'closed', retryable: true },
  malformed: { code: 'malformed', retryable: true },
} as const satisfies Record<string, Partial<ProviderError>>;

export type Failure = keyof typeof FAILURES;

/** Failures of a transcriber's stream. An open stream waits for no first byte. */
export const STREAM_FAILURES: readonly Failure[] = [
  'unauthorized',
  'rate_limited',
  'server_error',
  'refused_connection',
  'no_answer',
  'stalled',
  'closed',
  'reset',
  'half_frame',
  'malformed',
];

export const ALL_FAILURES: readonly Failure[] = [...STREAM_FAILURES, 'no_first_byte'];

export function expectFailure(error: ProviderError | undefined, failure: Failure, secret: string): void {
  const { provider, message, ...fields } = error ?? { provider: '', message: '' };
  expect(fields).toEqual(FAILURES[failure]);
  expect(provider).not.toBe('');
  expect(message).not.toBe('');
  expect(JSON.stringify(error)).not.toContain(secret);
}
