import { z } from 'zod';
import type { ProviderError, ProviderErrorCode } from '../../engine/ports/provider-error.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';

/**
 * Messages of ElevenLabs' realtime speech to text
 * (https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime). The schema lists only the
 * fields that we use.
 */
const anyMessageSchema = z.object({ message_type: z.string() });
const textSchema = z.object({ text: z.string() });

/** Our error code for each error of the provider. Waiting does not restore an exhausted quota. */
const ERRORS: ReadonlyMap<string, { readonly code: ProviderErrorCode; readonly retryable?: boolean }> = new Map([
  ['auth_error', { code: 'unauthorized' }],
  ['quota_exceeded', { code: 'rate_limited', retryable: false }],
  ['rate_limited', { code: 'rate_limited' }],
  ['resource_exhausted', { code: 'unavailable' }],
  ['queue_overflow', { code: 'unavailable' }],
  ['transcriber_error', { code: 'unavailable' }],
  ['error', { code: 'unavailable' }],
  ['session_time_limit_exceeded', { code: 'closed' }],
  ['insufficient_audio_activity', { code: 'closed' }],
  ['unaccepted_terms', { code: 'unauthorized' }],
  ['input_error', { code: 'bad_request' }],
  ['invalid_request', { code: 'bad_request' }],
  ['chunk_size_exceeded', { code: 'bad_request' }],
] as const);

export type ScribeMessage =
  | { readonly type: 'partial'; readonly text: string }
  | { readonly type: 'committed'; readonly text: string }
  /** The committed audio was too short. */
  | { readonly type: 'throttled' }
  | { readonly type: 'failed'; readonly error: ProviderError }
  | { readonly type: 'ignored' };

export function decodeScribeMessage(text: string): ScribeMessage {
  const malformed = {
    type: 'failed',
    error: providerFailure('elevenlabs', 'malformed', 'unexpected message on the transcription socket'),
  } as const;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return malformed;
  }
  const any = anyMessageSchema.safeParse(json);
  if (!any.success) return malformed;
  const kind = any.data.message_type;
  const error = ERRORS.get(kind);
  if (error !== undefined) {
    const message = `the provider reported an error (${kind})`;
    return { type: 'failed', error: providerFailure('elevenlabs', error.code, message, error) };
  }
  if (kind === 'commit_throttled') return { type: 'throttled' };
  if (kind !== 'partial_transcript' && kind !== 'committed_transcript') return { type: 'ignored' };
  const words = textSchema.safeParse(json);
  if (!words.success) return malformed;
  return { type: kind === 'partial_transcript' ? 'partial' : 'committed', text: words.data.text.trim() };
}
