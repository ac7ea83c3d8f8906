import { z } from 'zod';
import type { ProviderCheck } from '../provider-settings/provider-access.ts';
import { listedJson } from './listed-json.ts';
import type { FetchProviderList, ListedVoice } from './provider-list.ts';

const modelsSchema = z.array(z.object({ id: z.string() }));
/** https://platform.openai.com/docs/api-reference/models/list; Together sends a bare array. */
const listSchema = z.union([modelsSchema, z.object({ data: modelsSchema }).transform(({ data }) => data)]);

/** OpenAI's names of models that are no language models; servers like it have the same or none. */
const TRANSCRIBES = /transcribe|whisper/;
const SPEAKS = /tts/;
const OTHERS = /embed|image|moderation|realtime|audio|sora|dall-e|babbage|davinci|rerank|search-api/;

const IS_OF: Readonly<Record<'transcriber' | 'languageModel' | 'voice', (model: string) => boolean>> = {
  transcriber: (model) => TRANSCRIBES.test(model),
  voice: (model) => SPEAKS.test(model),
  languageModel: (model) => !TRANSCRIBES.test(model) && !SPEAKS.test(model) && !OTHERS.test(model),
};

/** OpenAI's voices, which no request lists: https://platform.openai.com/docs/guides/text-to-speech */
const OPENAI_VOICES = [
  'alloy',
  'ash',
  'ballad',
  'cedar',
  'coral',
  'echo',
  'fable',
  'marin',
  'nova',
  'onyx',
  'sage',
  'shimmer',
  'verse',
];

/** Lists the models for one part of an agent, by their names; all models if no name says its kind. */
export function modelList(check: ProviderCheck, kind: keyof typeof IS_OF): FetchProviderList | undefined {
  if (check.type !== 'request') return undefined;
  // Anthropic returns a page, by default of 20 models.
  const url = check.url.replace(/\?limit=1$/, '?limit=1000');
  return async (signal) => {
    const all = (await listedJson(url, check.headers, listSchema, signal)).map(({ id }) => id);
    const ofKind = all.filter(IS_OF[kind]);
    return { models: ofKind.length === 0 ? all : ofKind, voices: [] };
  };
}

/** The same with OpenAI's voices. */
export function openAiVoiceList(check: ProviderCheck): FetchProviderList | undefined {
  const models = modelList(check, 'voice');
  return models && (async (signal) => ({ ...(await models(signal)), voices: OPENAI_VOICES.map(voiceOf) }));
}

function voiceOf(name: string): ListedVoice {
  return { name, label: null, language: null };
}
