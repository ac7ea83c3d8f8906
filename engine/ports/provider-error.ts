/** Why a provider failed, in the words that the call's rules need. */
export type ProviderErrorCode =
  | 'unauthorized' // 401, 403: the key is wrong; trying again cannot help
  | 'rate_limited' // 429: trying again can help, after `retryAfterMs` where it is given
  | 'bad_request' // the provider refused what we sent; trying again cannot help
  | 'unavailable' // 5xx, connection refused, name not found
  | 'timeout' // no first byte, or a stall in mid-stream
  | 'closed' // the provider closed the stream before its end
  | 'malformed'; // the provider sent what its protocol does not allow

/**
 * The one error shape of every port. It crosses threads and stands on tapes, so it is plain data. `message` never
 * holds a key or a user's number.
 */
export interface ProviderError {
  readonly provider: string;
  readonly code: ProviderErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
}

/** For the log: who failed, how, and in its own words. */
export function describeProviderError({ provider, code, httpStatus, message }: ProviderError): string {
  return `${provider} ${code}${httpStatus === undefined ? '' : ` (${httpStatus})`}: ${message}`;
}
