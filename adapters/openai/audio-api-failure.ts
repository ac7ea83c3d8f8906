import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import { shownDetail } from '../provider-failure/error-detail.ts';
import { codeOfStatus, providerFailure, retryAfterMs, shownCode } from '../provider-failure/provider-failure.ts';

/** A longer response contains no error that we could read. */
const ERROR_BYTES_MAX = 64 * 1024;

const errorSchema = z.object({ error: z.object({ code: z.string().nullish() }) });

/** The failure of a refused request. */
export async function failureOfAnswer(
  provider: string,
  { statusCode, headers, body }: Dispatcher.ResponseData,
  nowWallMs: number,
): Promise<ProviderError> {
  const json = await jsonOf(body);
  const code = errorSchema.safeParse(json).data?.error.code;
  const why = shownCode(code) || shownDetail(json);
  return providerFailure(provider, codeOfStatus(statusCode), `HTTP status ${statusCode}${why}`, {
    httpStatus: statusCode,
    retryAfterMs: retryAfterMs(first(headers['retry-after-ms']), first(headers['retry-after']), nowWallMs),
    // Waiting does not restore an exhausted quota.
    retryable: code === 'insufficient_quota' ? false : undefined,
  });
}

/** The failure of a thrown error. `isAnswered`: a success status line had arrived. */
export function failureOfRequest(provider: string, error: unknown, isAnswered: boolean): ProviderError {
  if (isAnswered) return providerFailure(provider, 'closed', 'the provider closed the stream before its end');
  const isLate = error instanceof Error && error.name === 'ConnectTimeoutError';
  return isLate
    ? providerFailure(provider, 'timeout', 'the connection was not open in time')
    : providerFailure(provider, 'unavailable', 'no connection');
}

async function jsonOf(body: Dispatcher.ResponseData['body']): Promise<unknown> {
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > ERROR_BYTES_MAX) return undefined;
      chunks.push(part);
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
