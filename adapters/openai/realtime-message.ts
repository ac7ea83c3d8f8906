import { z } from 'zod';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import { providerFailure, shownCode } from '../provider-failure/provider-failure.ts';

/**
 * Messages of OpenAI's realtime socket in a transcription session
 * (https://developers.openai.com/api/reference/resources/realtime/server-events). The schema lists only the fields
 * that we use.
 */
const TRANSCRIPTION = 'conversation.item.input_audio_transcription';
const itemId = z.string().min(1);
const errorSchema = z.object({ type: z.string().nullish(), code: z.string().nullish() });

const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_audio_buffer.committed'), item_id: itemId }),
  z.object({ type: z.literal(`${TRANSCRIPTION}.delta`), item_id: itemId, delta: z.string().default('') }),
  z.object({ type: z.literal(`${TRANSCRIPTION}.completed`), item_id: itemId, transcript: z.string() }),
  z.object({ type: z.literal(`${TRANSCRIPTION}.failed`), item_id: itemId, error: errorSchema }),
  z.object({ type: z.literal('error'), error: errorSchema }),
]);

const anyMessageSchema = z.object({ type: z.string() });
const USED_TYPES: ReadonlySet<string> = new Set([
  'input_audio_buffer.committed',
  `${TRANSCRIPTION}.delta`,
  `${TRANSCRIPTION}.completed`,
  `${TRANSCRIPTION}.failed`,
  'error',
]);

export type RealtimeMessage =
  | { readonly type: 'committed'; readonly item: string }
  /** More words of an item, appended to its earlier ones. */
  | { readonly type: 'delta'; readonly item: string; readonly text: string }
  | { readonly type: 'completed'; readonly item: string; readonly text: string }
  /** Null: an error that loses nothing. */
  | { readonly type: 'failed'; readonly error: ProviderError | null }
  /** A message that we do not use, or that the provider has added since. */
  | { readonly type: 'ignored' };

export function decodeRealtimeMessage(provider: string, text: string): RealtimeMessage {
  const malformed = {
    type: 'failed',
    error: providerFailure(provider, 'malformed', 'unexpected message on the realtime socket'),
  } as const;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return malformed;
  }
  const any = anyMessageSchema.safeParse(json);
  if (!any.success) return malformed;
  if (!USED_TYPES.has(any.data.type)) return { type: 'ignored' };
  const parsed = messageSchema.safeParse(json);
  if (!parsed.success) return malformed;
  const message = parsed.data;
  switch (message.type) {
    case 'input_audio_buffer.committed':
      return { type: 'committed', item: message.item_id };
    case 'conversation.item.input_audio_transcription.delta':
      return { type: 'delta', item: message.item_id, text: message.delta };
    case 'conversation.item.input_audio_transcription.completed':
      return { type: 'completed', item: message.item_id, text: message.transcript };
    case 'conversation.item.input_audio_transcription.failed':
    case 'error':
      return { type: 'failed', error: failureOf(provider, message.error) };
  }
}

/** The meaning of the code, or of its type. The error for an empty buffer (a commit needs 100 ms) loses nothing. */
function failureOf(provider: string, { code, type }: z.output<typeof errorSchema>): ProviderError | null {
  const message = `the provider reported an error${shownCode(code)}`;
  switch (code) {
    case 'input_audio_buffer_commit_empty':
      return null;
    case 'invalid_api_key':
      return providerFailure(provider, 'unauthorized', message);
    case 'rate_limit_exceeded':
      return providerFailure(provider, 'rate_limited', message);
    case 'insufficient_quota':
      // Waiting does not restore an exhausted quota.
      return providerFailure(provider, 'rate_limited', message, { retryable: false });
    case 'session_expired':
      return providerFailure(provider, 'closed', message);
    default:
      return providerFailure(provider, type === 'invalid_request_error' ? 'bad_request' : 'unavailable', message);
  }
}
