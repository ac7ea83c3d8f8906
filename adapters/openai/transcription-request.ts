import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type { TranscriberOptions } from '../../engine/ports/transcriber.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import type { AudioApiClient } from './audio-api-client.ts';
import { failureOfAnswer, failureOfRequest } from './audio-api-failure.ts';
import { type MultipartForm, multipartForm } from './multipart-form.ts';

/** OpenAI's model name, and an alias at most compatible servers. */
const DEFAULT_MODEL = 'whisper-1';
/**
 * Whisper reads the last 224 tokens of a prompt. The estimate is high: names and foreign words split into more tokens
 * than English.
 */
const PROMPT_CHARACTERS_MAX = 600;
/** The words of 30 s are a few kilobytes. */
const ANSWER_BYTES_MAX = 256 * 1024;

/** A sound that is not speech, as Whisper writes it: `[BLANK_AUDIO]`, `(coughing)`, `[ Music ]`, `♪`. */
const SOUND = /\[[^\]]*\]|\([^)]*\)|♪/g;

const answerSchema = z.object({ text: z.string() });

export type Transcription =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'failed'; readonly error: ProviderError };

/** `POST /audio/transcriptions` (https://platform.openai.com/docs/api-reference/audio/createTranscription). */
export async function transcribe(
  provider: string,
  pool: AudioApiClient,
  options: Pick<TranscriberOptions, 'language' | 'model' | 'vocabulary'>,
  wav: Uint8Array,
  signal: AbortSignal,
): Promise<Transcription> {
  let isAnswered = false;
  try {
    const response = await pool.requestTranscription(formOf(options, wav), signal);
    // An abort reaches the body even if it is not read, and an unhandled error would end the process.
    response.body.on('error', () => undefined);
    if (response.statusCode !== 200) {
      return { type: 'failed', error: await failureOfAnswer(provider, response, Date.now()) };
    }
    isAnswered = true;
    const answer = answerSchema.safeParse(parsed(await textOf(response.body)));
    if (answer.success) return { type: 'text', text: spoken(answer.data.text) };
    return { type: 'failed', error: providerFailure(provider, 'malformed', 'a response without a text') };
  } catch (error) {
    return { type: 'failed', error: failureOfRequest(provider, error, isAnswered) };
  }
}

/** Empty if the text contains only sounds; brackets beside words stay. */
function spoken(text: string): string {
  return /[\p{L}\p{N}]/u.test(text.replace(SOUND, '')) ? text.trim() : '';
}

function formOf(
  { language, model, vocabulary }: Pick<TranscriberOptions, 'language' | 'model' | 'vocabulary'>,
  wav: Uint8Array,
): MultipartForm {
  const prompt = promptOf(vocabulary);
  const fields: (readonly [string, string])[] = [
    ['model', model ?? DEFAULT_MODEL],
    // ISO 639-1: the part before the region.
    ['language', language.split('-')[0] ?? language],
    ['response_format', 'json'],
    ...(prompt === '' ? [] : [['prompt', prompt] as const]),
  ];
  return multipartForm(fields, { name: 'file', filename: 'speech.wav', type: 'audio/wav', bytes: wav });
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

/** Empty if the body exceeds the bound. */
async function textOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) return '';
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
