import type OpenAI from 'openai';
import { z } from 'zod';
import { primaryLanguage } from '../../base/text/primary-language.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type { TranscriberOptions } from '../../engine/ports/transcriber.ts';
import { failureOfSdk } from '../official-sdk/sdk-failure.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import type { OpenAiClient } from './openai-client.ts';

/** OpenAI's model name, and an alias at most compatible servers. */
const DEFAULT_MODEL = 'whisper-1';
/**
 * Whisper reads the last 224 tokens of a prompt. The estimate is high: names and foreign words split into more tokens
 * than English.
 */
const PROMPT_CHARACTERS_MAX = 600;

/** A sound that is not speech, as Whisper writes it: `[BLANK_AUDIO]`, `(coughing)`, `[ Music ]`, `♪`. */
const SOUND = /\[[^\]]*\]|\([^)]*\)|♪/g;

const answerSchema = z.object({ text: z.string() });

export type Transcription =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'failed'; readonly error: ProviderError };

/** `POST /audio/transcriptions` (https://platform.openai.com/docs/api-reference/audio/createTranscription). */
export async function transcribe(
  provider: string,
  client: OpenAiClient,
  options: Pick<TranscriberOptions, 'language' | 'model' | 'vocabulary'>,
  wav: Uint8Array,
  signal: AbortSignal,
): Promise<Transcription> {
  try {
    const { audio } = await client();
    const answer = answerSchema.safeParse(await audio.transcriptions.create(transcriptionOf(options, wav), { signal }));
    if (answer.success) return { type: 'text', text: spoken(answer.data.text) };
    return { type: 'failed', error: providerFailure(provider, 'malformed', 'a response without a text') };
  } catch (error) {
    return { type: 'failed', error: failureOfSdk(provider, error, Date.now()) };
  }
}

/** Empty if the text contains only sounds; brackets beside words stay. */
function spoken(text: string): string {
  return /[\p{L}\p{N}]/u.test(text.replace(SOUND, '')) ? text.trim() : '';
}

function transcriptionOf(
  { language, model, vocabulary }: Pick<TranscriberOptions, 'language' | 'model' | 'vocabulary'>,
  wav: Uint8Array,
): OpenAI.Audio.TranscriptionCreateParamsNonStreaming<'json'> {
  const prompt = promptOf(vocabulary);
  return {
    file: new File([Uint8Array.from(wav)], 'speech.wav', { type: 'audio/wav' }),
    model: model ?? DEFAULT_MODEL,
    // ISO 639-1: the part before the region.
    language: primaryLanguage(language),
    response_format: 'json',
    ...(prompt === '' ? {} : { prompt }),
  };
}

/** The first words that fit. */
function promptOf(vocabulary: readonly string[]): string {
  let prompt = '';
  for (const word of vocabulary) {
    const longer = prompt === '' ? word : `${prompt}, ${word}`;
    if (longer.length > PROMPT_CHARACTERS_MAX) break;
    prompt = longer;
  }
  return prompt;
}
