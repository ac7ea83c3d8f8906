import type { ProviderError, ProviderErrorCode } from '../../engine/ports/provider-error.ts';

/** Bound of a wait that a provider requests; calls rarely last longer. Unit: ms. */
const RETRY_AFTER_MS_MAX = 600_000;

/** Whether the same request may succeed later, by code. */
const RETRYABLE: Readonly<Record<ProviderErrorCode, boolean>> = {
  unauthorized: false,
  rate_limited: true,
  bad_request: false,
  unavailable: true,
  timeout: true,
  closed: true,
  malformed: true,
};

export interface ProviderFailureDetail {
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Overrides the code's default: an exhausted quota is `rate_limited`, but waiting does not help. */
  readonly retryable?: boolean | undefined;
}

/** `message` is our own text. A provider's text may quote the key or the user, so it is never passed on. */
export function providerFailure(
  provider: string,
  code: ProviderErrorCode,
  message: string,
  detail: ProviderFailureDetail = {},
): ProviderError {
  return {
    provider,
    code,
    message,
    retryable: detail.retryable ?? RETRYABLE[code],
    ...(detail.httpStatus === undefined ? {} : { httpStatus: detail.httpStatus }),
    ...(detail.retryAfterMs === undefined ? {} : { retryAfterMs: detail.retryAfterMs }),
  };
}

/** The code for the status of an HTTP answer, also of a refused WebSocket upgrade. */
export function codeOfStatus(status: number): ProviderErrorCode {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 429) return 'rate_limited';
  if (status === 408) return 'timeout';
  if (status === 409 || status === 425 || status >= 500) return 'unavailable';
  return 'bad_request';
}

/**
 * The wait that a provider requests, in ms: `retry-after-ms` if present, otherwise `Retry-After` as seconds or date (RFC 9110 §10.2.3).
 * Undefined if neither parses.
 */
export function retryAfterMs(
  retryAfterMsHeader: string | null | undefined,
  retryAfterHeader: string | null | undefined,
  nowWallMs: number,
): number | undefined {
  const exact = number(retryAfterMsHeader);
  if (exact !== undefined) return bounded(exact);
  const seconds = number(retryAfterHeader);
  if (seconds !== undefined) return bounded(seconds * 1000);
  // `Date.parse` reads a date into almost anything; one of HTTP ends so.
  const date = retryAfterHeader?.trim().endsWith(' GMT') ? Date.parse(retryAfterHeader) : Number.NaN;
  return Number.isNaN(date) ? undefined : bounded(date - nowWallMs);
}

function number(text: string | null | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^\d{1,12}(\.\d{1,6})?$/.test(trimmed) ? Number(trimmed) : undefined;
}

function bounded(ms: number): number {
  return Math.round(Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX));
}

/**
 * A provider's error code, made safe to show: short identifiers such as `model_not_found` pass. Free text is left out, because it
 * may contain a secret.
 */
export function shownCode(code: unknown): string {
  return typeof code === 'string' && /^[a-z][a-z_]{2,48}$/.test(code) ? ` (${code})` : '';
}
