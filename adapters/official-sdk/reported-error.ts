import { z } from 'zod';
import type { ProviderErrorCode } from '../../engine/ports/provider-error.ts';
import { codeOfStatus, shownCode } from '../provider-failure/provider-failure.ts';

/** The `error` objects of all the providers here: strings, or the status as a number (Gemini). */
const reported = z.union([z.string(), z.number()]).nullish();
const errorSchema = z.object({ code: reported, type: reported, status: reported });
const bodySchema = z.object({ error: errorSchema });
/**
 * Forms of an error: an object in `error` (OpenAI, compatible servers, Anthropic), an array around it (Gemini), its fields alone
 * (Mistral, and OpenAI's as the SDK unwraps it).
 */
const formsSchema = z.union([bodySchema, z.array(bodySchema).transform((list) => list[0]), errorSchema]);

export interface ReportedError {
  readonly code?: string | number | null | undefined;
  readonly type?: string | number | null | undefined;
  readonly status?: string | number | null | undefined;
}

/** The provider reported an error in mid-stream. */
export class StreamReportedError extends Error {
  /** Its JSON. */
  readonly error: unknown;

  constructor(error: unknown) {
    super('the stream reported an error');
    this.name = 'StreamReportedError';
    this.error = error;
  }
}

/** The provider's error in the body of a refusal, or in an event. */
export function reportedErrorIn(json: unknown): ReportedError {
  const { success, data } = formsSchema.safeParse(json);
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
export function shownReportedCode(error: ReportedError): string {
  return shownCode(error.code) || shownCode(error.type);
}
