/**
 * Every error of the API by code: its HTTP status, the `type` that clients see (specification, «Errors») and the default
 * message. A code keeps its meaning.
 */
const API_ERRORS = {
  bad_request: { status: 400, type: 'api_error', message: 'The request is malformed' },
  body_unparsable: { status: 400, type: 'api_error', message: 'The body is not valid JSON' },
  key_missing: {
    status: 401,
    type: 'gateway_auth_error',
    message: 'The X-Api-Key header is missing or malformed: send an API key in it',
  },
  key_unknown: { status: 401, type: 'auth_error', message: 'The API key is unknown or revoked' },
  scope_missing: { status: 403, type: 'api_error', message: 'The API key lacks the scope that this request needs' },
  not_found: { status: 404, type: 'http_error', message: 'Not found' },
  method_not_allowed: {
    status: 405,
    type: 'http_error',
    message: 'The endpoint does not have this method: see the Allow header',
  },
  staging_timeout: {
    status: 408,
    type: 'timeout_error',
    message: 'The call was not staged within 10 seconds and is still being prepared: poll its status',
  },
  request_timeout: {
    status: 408,
    type: 'timeout_error',
    message: 'The request did not arrive completely within the time limit',
  },
  conflict: { status: 409, type: 'api_error', message: 'The request conflicts with the current state of the resource' },
  body_too_large: { status: 413, type: 'api_error', message: 'The body is larger than 1 MiB' },
  media_type: { status: 415, type: 'api_error', message: 'The Content-Type must be application/json' },
  validation: { status: 422, type: 'validation_error', message: 'The request is not valid' },
  headers_too_large: { status: 431, type: 'api_error', message: 'The headers are larger than 16 KiB' },
  rate_limited: {
    status: 429,
    type: 'gateway_rate_limit_error',
    message: 'Rate limit exceeded: retry after the number of seconds in the retry-after header',
  },
  internal: { status: 500, type: 'generic_error', message: 'Internal error: the cause is in the service log' },
  preparation_failed: { status: 502, type: 'api_error', message: 'The call could not be prepared' },
  unavailable: {
    status: 503,
    type: 'generic_error',
    message: 'The service is temporarily unavailable: retry after the number of seconds in the retry-after header',
  },
} as const;

export type ApiErrorCode = keyof typeof API_ERRORS;
type ErrorType = (typeof API_ERRORS)[ApiErrorCode]['type'];

/** The distinct values of `type`. */
export const ERROR_TYPES: readonly ErrorType[] = [...new Set(Object.values(API_ERRORS).map(({ type }) => type))];

export interface ErrorDetail {
  /** Path of the field, for example `states[2].tools[0].url`. null: the body as a whole. */
  readonly field: string | null;
  readonly message: string;
}

export interface ApiErrorOptions {
  readonly message?: string;
  readonly details?: readonly ErrorDetail[];
  readonly retryAfterSeconds?: number;
  /** The call that was created although the request failed. */
  readonly callId?: string;
}

export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly type: ErrorType;
  readonly details: readonly ErrorDetail[] | null;
  /** null: a retry cannot succeed. */
  readonly retryAfterSeconds: number | null;
  /** Sent as `data.call_id`, so that the client can poll the call. */
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

/** 403 for an API key without this scope. */
export function scopeMissing(scope: string): ApiError {
  return new ApiError('scope_missing', { message: `The API key lacks the scope ${scope}` });
}

export function notFound(resource: string): ApiError {
  return new ApiError('not_found', { message: `${resource} not found` });
}
