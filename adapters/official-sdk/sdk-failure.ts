import * as anthropic from '@anthropic-ai/sdk/core/error';
import * as openai from 'openai/core/error';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import { ResponseLostError } from '../http/pooled-response.ts';
import { shownDetail } from '../provider-failure/error-detail.ts';
import { codeOfStatus, providerFailure, retryAfterMs } from '../provider-failure/provider-failure.ts';
import { codeOfReported, reportedErrorIn, StreamReportedError, shownReportedCode } from './reported-error.ts';

/** The part of the SDKs' errors that is read. Their messages and the rest of their headers may quote a key or the user. */
interface SdkError {
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  /** JSON of the response or of the event. */
  readonly error: unknown;
}

/**
 * The failure that an error of the official SDKs reports, which one generator made from the APIs' definitions. `nowWallMs` is
 * for a `Retry-After` with a date.
 */
export function failureOfSdk(provider: string, error: unknown, nowWallMs: number): ProviderError {
  if (isTimeout(error)) return providerFailure(provider, 'timeout', 'the connection was not open in time');
  if (isConnectionError(error)) return providerFailure(provider, 'unavailable', 'no connection');
  if (isSdkError(error)) {
    return error.status === undefined
      ? reportedFailure(provider, error.error)
      : refused(provider, error.status, error, nowWallMs);
  }
  if (error instanceof StreamReportedError) return reportedFailure(provider, error.error);
  if (error instanceof SyntaxError) return providerFailure(provider, 'malformed', 'the response is not JSON');
  if (error instanceof ResponseLostError) {
    return providerFailure(provider, 'closed', 'the provider closed the stream before its end');
  }
  return providerFailure(provider, 'bad_request', 'the request could not be sent');
}

function refused(provider: string, status: number, { error, headers }: SdkError, nowWallMs: number): ProviderError {
  const reported = reportedErrorIn(error);
  const why = shownReportedCode(reported) || shownDetail(error);
  return providerFailure(provider, codeOfStatus(status), `HTTP status ${status}${why}`, {
    httpStatus: status,
    retryAfterMs: retryAfterMs(headers?.get('retry-after-ms'), headers?.get('retry-after'), nowWallMs),
    // An exhausted quota does not recover by waiting.
    retryable: reported.code === 'insufficient_quota' || reported.type === 'insufficient_quota' ? false : undefined,
  });
}

function reportedFailure(provider: string, body: unknown): ProviderError {
  const reported = reportedErrorIn(body);
  return providerFailure(
    provider,
    codeOfReported(reported),
    `the stream reported an error${shownReportedCode(reported)}`,
  );
}

function isSdkError(error: unknown): error is SdkError {
  return error instanceof openai.APIError || error instanceof anthropic.APIError;
}

function isConnectionError(error: unknown): boolean {
  return error instanceof openai.APIConnectionError || error instanceof anthropic.APIConnectionError;
}

function isTimeout(error: unknown): boolean {
  return error instanceof openai.APIConnectionTimeoutError || error instanceof anthropic.APIConnectionTimeoutError;
}
