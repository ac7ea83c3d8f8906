/** The kinds of provider failures that the rules distinguish. */
export type ProviderErrorCode =
  | 'unauthorized' // 401, 403: the API key is wrong; a retry cannot succeed
  | 'rate_limited' // 429: a retry can succeed, after `retryAfterMs` if it is set
  | 'bad_request' // the provider rejected the request; a retry cannot succeed
  | 'unavailable' // 5xx, connection refused, name not found
  | 'timeout' // no first byte, or the stream stalled
  | 'closed' // the provider closed the stream before its end
  | 'malformed'; // the provider violated its protocol

/**
 * The error of every provider port. Plain data, since it crosses threads and is part of tapes. `message` never contains
 * an API key or a phone number of a user.
 */
export interface ProviderError {
  readonly provider: string;
  readonly code: ProviderErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
}

/** Text for the log: provider, code and message. */
export function describeProviderError({ provider, code, httpStatus, message }: ProviderError): string {
  return `${provider} ${code}${httpStatus === undefined ? '' : ` (${httpStatus})`}: ${message}`;
}
