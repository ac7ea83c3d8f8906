import { z } from 'zod';
import type { AudioFormat } from '../../base/audio/audio-format.ts';
import { primaryLanguage } from '../../base/text/primary-language.ts';
import type { ProviderErrorCode } from '../../engine/ports/provider-error.ts';
import type { SpokenWord, VoiceOptions } from '../../engine/ports/voice.ts';
import { providerFailure, shownCode } from '../provider-failure/provider-failure.ts';
import type { ContextMessage, ContextProtocol } from '../segmented-voice/voice-context-source.ts';

/**
 * ElevenLabs' multi-context socket
 * (https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input). The SDK
 * (@elevenlabs/elevenlabs-js 2.73) has its message types but no client, so the socket is our own.
 */
export interface ElevenLabsAccess {
  /** http(s), without a path: `https://api.elevenlabs.io`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** The provider allows five contexts on one socket and closes it at the sixth; one is reserved for the keep-alive. */
const CONTEXTS_MAX = 4;
/** The provider's fastest model. Its bounds of speed are narrower than an agent's range, 0.5–2. */
const DEFAULT_MODEL = 'eleven_flash_v2_5';
const SPEED_MIN = 0.7;
const SPEED_MAX = 1.2;
/** Seconds without text after which the provider closes: its maximum (default 20). */
const INACTIVITY_SECONDS = 180;
/** Well below the 20 s after which a proxy may close the connection. */
const KEEP_ALIVE_MS = 15_000;
/** Models with many languages that accept a language code. Other models have one language, or detect it. */
const TAKES_LANGUAGE = /_v2_5$|_v3/;

export function multiContextProtocol(
  access: ElevenLabsAccess,
  options: VoiceOptions,
  openMsMax: number,
): ContextProtocol {
  const format = formatFor(options.format);
  const model = options.model ?? DEFAULT_MODEL;
  const query = new URLSearchParams({
    model_id: model,
    output_format: formatName(format),
    inactivity_timeout: String(INACTIVITY_SECONDS),
    // We send whole sentences, so the provider must not buffer: `chunk_length_schedule` does not apply.
    auto_mode: 'true',
    sync_alignment: 'true',
  });
  if (TAKES_LANGUAGE.test(model)) query.set('language_code', primaryLanguage(options.language));
  const speed = Math.min(Math.max(options.speed, SPEED_MIN), SPEED_MAX);
  return {
    dial: {
      provider: 'elevenlabs',
      baseUrl: access.baseUrl,
      path: `/v1/text-to-speech/${encodeURIComponent(options.name)}/multi-stream-input`,
      query,
      headers: { 'xi-api-key': access.apiKey },
      openMsMax,
    },
    format,
    contextsMax: CONTEXTS_MAX,
    keepAlive: { everyMs: KEEP_ALIVE_MS, message: { text: '' } },
    closeMessage: { close_socket: true },
    // A context that is closed at once still speaks its text to the end, and then reports that it is final.
    speak: (context, text) => [
      { text: ' ', context_id: context, ...(speed === 1 ? {} : { voice_settings: { speed } }) },
      { text: `${text} `, context_id: context, flush: true },
      { context_id: context, close_context: true },
    ],
    read: readMultiContext,
  };
}

/** G.711 in the call's own format, otherwise the nearest rate that the provider offers. */
function formatFor(format: AudioFormat): AudioFormat {
  if (format.encoding !== 'linear16') return format;
  return { encoding: 'linear16', sampleRateHz: format.sampleRateHz > 16_000 ? 24_000 : format.sampleRateHz };
}

function formatName({ encoding, sampleRateHz }: AudioFormat): string {
  return `${encoding === 'linear16' ? 'pcm' : encoding === 'mulaw' ? 'ulaw' : 'alaw'}_${sampleRateHz}`;
}

const alignmentSchema = z.object({
  chars: z.array(z.string()),
  charStartTimesMs: z.array(z.number()),
  charDurationsMs: z.array(z.number()),
});

/** The provider uses both spellings of each name. */
const messageSchema = z.object({
  audio: z.base64().nullish(),
  alignment: alignmentSchema.nullish(),
  isFinal: z.boolean().nullish(),
  is_final: z.boolean().nullish(),
  contextId: z.string().nullish(),
  context_id: z.string().nullish(),
  error: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
});

const MALFORMED: readonly ContextMessage[] = [{ type: 'malformed' }];

export function readMultiContext(text: string): readonly ContextMessage[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return MALFORMED;
  }
  const parsed = messageSchema.safeParse(json);
  if (!parsed.success) return MALFORMED;
  const message = parsed.data;
  const context = message.contextId ?? message.context_id;
  if (message.error) {
    return [{ type: 'failed', context: context ?? undefined, error: failureOf(message.error) }];
  }
  if (context === undefined || context === null) return [];
  const read: ContextMessage[] = [];
  // The times of a message count from the first sample of its own audio.
  if (message.alignment) read.push({ type: 'words', context, from: 'chunk', words: characters(message.alignment) });
  if (message.audio) read.push({ type: 'audio', context, audio: Buffer.from(message.audio, 'base64') });
  if (message.isFinal || message.is_final) read.push({ type: 'done', context });
  return read;
}

function characters(alignment: z.output<typeof alignmentSchema>): readonly SpokenWord[] {
  return alignment.chars.map((text, n) => {
    const startMs = alignment.charStartTimesMs[n] ?? 0;
    return { text, startMs, endMs: startMs + (alignment.charDurationsMs[n] ?? 0) };
  });
}

/**
 * The provider's codes (https://elevenlabs.io/docs/developers/resources/error-messages). An unknown code counts as
 * the provider's fault and is retryable: a wrong request fails again, and a correct one is not lost.
 */
const CODES: Readonly<Record<string, ProviderErrorCode>> = {
  invalid_api_key: 'unauthorized',
  missing_permissions: 'unauthorized',
  invalid_authorization: 'unauthorized',
  quota_exceeded: 'rate_limited',
  too_many_concurrent_requests: 'rate_limited',
  concurrent_limit_exceeded: 'rate_limited',
  system_busy: 'unavailable',
  internal_error: 'unavailable',
  max_character_limit_exceeded: 'bad_request',
  voice_not_found: 'bad_request',
};

function failureOf(error: string) {
  const code = CODES[error] ?? 'unavailable';
  // Waiting does not restore an exhausted quota.
  const retryable = error === 'quota_exceeded' ? false : undefined;
  return providerFailure('elevenlabs', code, `the provider reported an error${shownCode(error)}`, { retryable });
}
