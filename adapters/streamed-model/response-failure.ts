import { z } from 'zod';
import type { ProviderError, ProviderErrorCode } from '../../engine/ports/provider-error.ts';
import type { EventStreamFailure } from '../http/event-stream-request.ts';
import { shownDetail } from '../provider-failure/error-detail.ts';
import { codeOfStatus, providerFailure, retryAfterMs, shownCode } from '../provider-failure/provider-failure.ts';

/** The `error` objects of all the providers here: strings, or the status as a number (Gemini). */
const reported = z.union([z.string(), z.number()]).nullish();
const errorSchema = z.object({ code: reported, type: reported, status: reported });
const bodySchema = z.object({ error: errorSchema });
/** Forms of a refusal: an object (OpenAI, compatible servers, Anthropic), an array around it (Gemini), its fields alone (Mistral). */
const refusalSchema = z.union([bodySchema, z.array(bodySchema).transform((list) => list[0]), errorSchema]);

export interface ReportedError {
  readonly code?: string | number | null | undefined;
  readonly type?: string | number | null | undefined;
  readonly status?: string | number | null | undefined;
}

/** The error of a failed response. `nowWallMs` is for a `Retry-After` with a date. */
export function failureOfResponse(provider: string, failure: EventStreamFailure, nowWallMs: number): ProviderError {
  switch (failure.type) {
    case 'refused':
      return refused(provider, failure, nowWallMs);
    case 'unreachable':
      return providerFailure(provider, 'unavailable', 'no connection');
    case 'closed':
      return providerFailure(provider, 'closed', 'the provider closed the stream before its end');
    case 'no_events':
      return providerFailure(provider, 'malformed', 'the answer is no event stream: is the base URL right?');
    case 'endless_event':
      return providerFailure(provider, 'malformed', 'an event without an end');
    case 'unsendable':
      return providerFailure(provider, 'bad_request', 'the request could not be sent');
  }
}

function refused(
  provider: string,
  { body, status, retryAfter, retryAfterMs: exact }: Extract<EventStreamFailure, { type: 'refused' }>,
  nowWallMs: number,
): ProviderError {
  const json = parsed(body);
  const error = reportedIn(json);
  const why = shown(error) || shownDetail(json);
  return providerFailure(provider, codeOfStatus(status), `HTTP status ${status}${why}`, {
    httpStatus: status,
    retryAfterMs: retryAfterMs(exact, retryAfter, nowWallMs),
    // An exhausted quota does not recover by waiting.
    retryable: error.code === 'insufficient_quota' || error.type === 'insufficient_quota' ? false : undefined,
  });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function reportedIn(json: unknown): ReportedError {
  const { success, data } = refusalSchema.safeParse(json);
  if (!success || data === undefined) return {};
  return 'error' in data ? data.error : data;
}

/** An error in mid-stream has no HTTP status; some servers put one into `code`. */
export function codeOfReported(error: ReportedError): ProviderErrorCode {
  const words = `${error.code ?? ''} ${error.type ?? ''} ${error.status ?? ''}`;
  const status = /\b[45]\d\d\b/.exec(words);
  if (status !== null) return codeOfStatus(Number(status[0]));
  if (words.includes('rate_limit')) return 'rate_limited';
  if (/authentication|permission|invalid_api_key/.test(words)) return 'unauthorized';
  if (words.includes('timeout')) return 'timeout';
  return /invalid_|context_length|content_policy|not_found|too_large|billing/.test(words)
    ? 'bad_request'
    : 'unavailable';
}

/** The provider's own code for it, for the log. */
export function shown(error: ReportedError): string {
  return shownCode(error.code) || shownCode(error.type);
}
