import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import type { ProviderError, ProviderErrorCode } from '../../engine/ports/provider-error.ts';
import { codeOfStatus, providerFailure, retryAfterMs, shownCode } from '../provider-failure.ts';

/**
 * What went wrong with a request or its stream, from what the SDK or `fetch` threw; `isAnswered`: the status line had
 * come, and it was good.
 */
export function chatFailure(error: unknown, isAnswered: boolean, nowWallMs: number): ProviderError {
  if (error instanceof APIConnectionTimeoutError) return providerFailure('openai', 'timeout', 'no answer in time');
  if (error instanceof APIConnectionError) return providerFailure('openai', 'unavailable', 'no connection');
  if (error instanceof APIError) return failureOfAnswer(error, nowWallMs);
  if (error instanceof SyntaxError) return providerFailure('openai', 'malformed', 'an event that is not JSON');
  if (!isAnswered) return providerFailure('openai', 'bad_request', 'the request could not be sent');
  return providerFailure('openai', 'closed', 'the provider closed the stream before its end');
}

function failureOfAnswer(error: APIError, nowWallMs: number): ProviderError {
  const { status, headers } = error;
  if (status === undefined) {
    return providerFailure(
      'openai',
      codeOfStreamedError(error),
      `the stream told an error${shownCode(error.code ?? error.type)}`,
    );
  }
  return providerFailure('openai', codeOfStatus(status), `HTTP status ${status}${shownCode(error.code)}`, {
    httpStatus: status,
    retryAfterMs: retryAfterMs(headers?.get('retry-after-ms'), headers?.get('retry-after'), nowWallMs),
    // Waiting does not fill an empty account.
    retryable: error.code === 'insufficient_quota' ? false : undefined,
  });
}

/** An error in mid-stream has no HTTP status; some servers put one into `code`. */
function codeOfStreamedError(error: APIError): ProviderErrorCode {
  const told = `${error.code ?? ''} ${error.type ?? ''}`;
  const status = /\b[45]\d\d\b/.exec(told);
  if (status !== null) return codeOfStatus(Number(status[0]));
  if (told.includes('rate_limit')) return 'rate_limited';
  return /invalid_request|context_length|content_policy/.test(told) ? 'bad_request' : 'unavailable';
}
