import { z } from 'zod';
import type { AudioFormat } from '../../base/audio/audio-format.ts';
import { primaryLanguage } from '../../base/text/primary-language.ts';
import type { SpokenWord, VoiceOptions } from '../../engine/ports/voice.ts';
import { codeOfStatus, providerFailure, shownCode } from '../provider-failure/provider-failure.ts';
import type { ContextMessage, ContextProtocol } from '../segmented-voice/voice-context-source.ts';

/**
 * Cartesia's speech socket (https://docs.cartesia.ai/api-reference/tts/websocket). The socket is our own: the SDK's
 * client (@cartesia/cartesia-js 4.2) reconnects by itself, reports a refused dial as a sentence without its status,
 * and always uses wss. Tests use the SDK as the client that checks the emulator.
 */
export interface CartesiaAccess {
  /** http(s), without a path: `https://api.cartesia.ai`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

export const API_VERSION = '2026-03-01';
const DEFAULT_MODEL = 'sonic-3';
/** The provider's bounds of speed; an agent's range, 0.5–2, is wider. */
const SPEED_MIN = 0.6;
const SPEED_MAX = 1.5;
/** The provider speaks dozens of contexts at once; we never request more than two. */
const CONTEXTS_MAX = 16;

const ENCODINGS = { mulaw: 'pcm_mulaw', alaw: 'pcm_alaw', linear16: 'pcm_s16le' } as const;

export function cartesiaContextProtocol(
  access: CartesiaAccess,
  options: VoiceOptions,
  openMsMax: number,
): ContextProtocol {
  const { format } = options;
  const speed = Math.min(Math.max(options.speed, SPEED_MIN), SPEED_MAX);
  const request = {
    model_id: options.model ?? DEFAULT_MODEL,
    voice: { mode: 'id', id: options.name },
    language: primaryLanguage(options.language),
    output_format: outputFormat(format),
    // We send whole sentences, so the provider must not buffer.
    max_buffer_delay_ms: 0,
    add_timestamps: true,
    // Timestamps of the words as sent, which map back to the transcript.
    use_normalized_timestamps: false,
    ...(speed === 1 ? {} : { generation_config: { speed } }),
  };
  return {
    dial: {
      provider: 'cartesia',
      baseUrl: access.baseUrl,
      path: '/tts/websocket',
      query: new URLSearchParams({ cartesia_version: API_VERSION }),
      headers: { Authorization: `Bearer ${access.apiKey}`, 'Cartesia-Version': API_VERSION },
      openMsMax,
    },
    format,
    contextsMax: CONTEXTS_MAX,
    speak: (context, text) => [{ ...request, context_id: context, transcript: text, continue: false }],
    cancel: (context) => ({ context_id: context, cancel: true }),
    read: readCartesia,
  };
}

function outputFormat({ encoding, sampleRateHz }: AudioFormat) {
  return { container: 'raw', encoding: ENCODINGS[encoding], sample_rate: sampleRateHz };
}

const context = z.string();

const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('chunk'), context_id: context, data: z.base64() }),
  z.object({
    type: z.literal('timestamps'),
    context_id: context,
    word_timestamps: z
      .object({ words: z.array(z.string()), start: z.array(z.number()), end: z.array(z.number()) })
      .nullish(),
  }),
  z.object({ type: z.literal('done'), context_id: context }),
  z.object({
    type: z.literal('error'),
    context_id: context.nullish(),
    status_code: z.number().default(500),
    error_code: z.string().nullish(),
  }),
]);

const anyMessageSchema = z.object({ type: z.string() });
const USED_TYPES: ReadonlySet<string> = new Set(['chunk', 'timestamps', 'done', 'error']);
const MALFORMED: readonly ContextMessage[] = [{ type: 'malformed' }];

export function readCartesia(text: string): readonly ContextMessage[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return MALFORMED;
  }
  const any = anyMessageSchema.safeParse(json);
  if (!any.success) return MALFORMED;
  if (!USED_TYPES.has(any.data.type)) return [];
  const parsed = messageSchema.safeParse(json);
  return parsed.success ? [contextMessage(parsed.data)] : MALFORMED;
}

function contextMessage(message: z.output<typeof messageSchema>): ContextMessage {
  switch (message.type) {
    case 'chunk':
      return { type: 'audio', context: message.context_id, audio: Buffer.from(message.data, 'base64') };
    case 'timestamps':
      return { type: 'words', context: message.context_id, from: 'segment', words: words(message.word_timestamps) };
    case 'done':
      return { type: 'done', context: message.context_id };
    case 'error':
      return {
        type: 'failed',
        context: message.context_id ?? undefined,
        error: providerFailure(
          'cartesia',
          codeOfStatus(message.status_code),
          `the provider reported an error${shownCode(message.error_code)}`,
          { httpStatus: message.status_code },
        ),
      };
  }
}

/** Seconds since the first sample of the context. */
function words(
  timestamps: { readonly words: string[]; readonly start: number[]; readonly end: number[] } | null | undefined,
): readonly SpokenWord[] {
  if (!timestamps) return [];
  return timestamps.words.map((text, n) => {
    const startMs = Math.round((timestamps.start[n] ?? 0) * 1000);
    return { text, startMs, endMs: Math.round((timestamps.end[n] ?? timestamps.start[n] ?? 0) * 1000) };
  });
}
