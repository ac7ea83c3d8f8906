/**
 * Every error that the API answers, by code: its HTTP status, the `type` that clients see (specification, «Errors»), and what
 * it says where nothing more is known. Codes are never used for something else.
 */
const API_ERRORS = {
  bad_request: { status: 400, type: 'api_error', message: 'Bad request' },
  body_unparsable: { status: 400, type: 'api_error', message: 'The body is not valid JSON' },
  key_missing: { status: 401, type: 'gateway_auth_error', message: 'The X-Api-Key header is missing or malformed' },
  key_unknown: { status: 401, type: 'auth_error', message: 'The API key is unknown or revoked' },
  scope_missing: { status: 403, type: 'api_error', message: 'The API key lacks the scope for this' },
  not_found: { status: 404, type: 'http_error', message: 'Not found' },
  staging_timeout: { status: 408, type: 'timeout_error', message: 'The call was not staged in time' },
  request_timeout: { status: 408, type: 'timeout_error', message: 'The request did not come in whole in time' },
  conflict: { status: 409, type: 'api_error', message: 'Conflict' },
  body_too_large: { status: 413, type: 'api_error', message: 'The body is larger than 1 MiB' },
  media_type: { status: 415, type: 'api_error', message: 'The body must be application/json' },
  validation: { status: 422, type: 'validation_error', message: 'The request is not valid' },
  headers_too_large: { status: 431, type: 'api_error', message: 'The headers are larger than 16 KiB' },
  rate_limited: { status: 429, type: 'gateway_rate_limit_error', message: 'Rate limit exceeded' },
  internal: { status: 500, type: 'generic_error', message: 'Unexpected error' },
  preparation_failed: { status: 502, type: 'api_error', message: 'The call could not be prepared' },
  unavailable: { status: 503, type: 'generic_error', message: 'The service cannot do this right now' },
} as const;

export type ApiErrorCode = keyof typeof API_ERRORS;
type ErrorType = (typeof API_ERRORS)[ApiErrorCode]['type'];

export const API_ERROR_CODES = Object.keys(API_ERRORS).filter((code): code is ApiErrorCode => code in API_ERRORS);

/** Every `type` that an error can have, each once. */
export const ERROR_TYPES: readonly ErrorType[] = [...new Set(Object.values(API_ERRORS).map(({ type }) => type))];

export interface ErrorDetail {
  /** Path of the field, such as `states[2].tools[0].url`; null: the body as a whole. */
  readonly field: string | null;
  readonly message: string;
}

export interface ApiErrorOptions {
  readonly message?: string;
  readonly details?: readonly ErrorDetail[];
  readonly retryAfterSeconds?: number;
  /** The call that goes on although the request failed. */
  readonly callId?: string;
}

export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly type: ErrorType;
  readonly details: readonly ErrorDetail[] | null;
  /** Set where trying again can help. */
  readonly retryAfterSeconds: number | null;
  /** Answered as `data`, so that the call can be asked for. */
  readonly callId: string | null;

  constructor(code: ApiErrorCode, options: ApiErrorOptions = {}) {
    super(options.message ?? API_ERRORS[code].message);
    this.name = 'ApiError';
    this.code = code;
    this.status = API_ERRORS[code].status;
    this.type = API_ERRORS[code].type;
    this.details = options.details ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.callId = options.callId ?? null;
  }
}

/** 422 for one field. */
export function invalidField(field: string, message: string): ApiError {
  return new ApiError('validation', { message: `${field}: ${message}`, details: [{ field, message }] });
}

export function notFound(what: string): ApiError {
  return new ApiError('not_found', { message: `${what} not found` });
}
