import { z } from 'zod';
import type { ProviderAccess, ProviderCheck } from '../provider-settings/provider-access.ts';
import { listedJson } from './listed-json.ts';
import type { FetchProviderList } from './provider-list.ts';

type Access = Pick<ProviderAccess, 'baseUrl'> & { readonly check: ProviderCheck };

/** Cartesia's largest page. */
const CARTESIA_VOICES_MAX = 100;

/** https://developers.deepgram.com/reference/manage/models/list: `canonical_name` is what a request names. */
const deepgramModel = z.object({ canonical_name: z.string(), languages: z.array(z.string()).optional() });
const deepgramSchema = z.object({
  stt: z.array(deepgramModel.extend({ streaming: z.boolean().optional() })),
  tts: z.array(deepgramModel),
});

/** Models of the transcriber. One canonical name has several versions. */
export function deepgramModels(access: Access): FetchProviderList {
  return async (signal) => {
    const { stt } = await listedJson(`${access.baseUrl}/v1/models`, headersOf(access), deepgramSchema, signal);
    const streaming = stt.filter((model) => model.streaming !== false).map((model) => model.canonical_name);
    return { models: [...new Set(streaming)], voices: [] };
  };
}

/** Deepgram's voices are models. */
export function deepgramVoices(access: Access): FetchProviderList {
  return async (signal) => {
    const { tts } = await listedJson(`${access.baseUrl}/v1/models`, headersOf(access), deepgramSchema, signal);
    const voices = new Map(
      tts.map(({ canonical_name: name, languages }) => [name, { name, label: null, language: languages?.[0] ?? null }]),
    );
    return { models: [], voices: [...voices.values()] };
  };
}

/** https://elevenlabs.io/docs/api-reference/voices/get-all, https://elevenlabs.io/docs/api-reference/models/list */
const elevenLabsVoices = z.object({
  voices: z.array(
    z.object({
      voice_id: z.string(),
      name: z.string().nullish(),
      labels: z.object({ language: z.string().nullish() }).nullish(),
    }),
  ),
});
const elevenLabsModels = z.array(z.object({ model_id: z.string(), can_do_text_to_speech: z.boolean().optional() }));

export function elevenLabsList(access: Access): FetchProviderList {
  return async (signal) => {
    const [{ voices }, models] = await Promise.all([
      listedJson(`${access.baseUrl}/v1/voices`, headersOf(access), elevenLabsVoices, signal),
      listedJson(`${access.baseUrl}/v1/models`, headersOf(access), elevenLabsModels, signal),
    ]);
    return {
      models: models.filter((model) => model.can_do_text_to_speech !== false).map((model) => model.model_id),
      voices: voices.map(({ labels, name, voice_id }) => ({
        name: voice_id,
        label: name ?? null,
        language: labels?.language ?? null,
      })),
    };
  };
}

/** https://docs.cartesia.ai/api-reference/voices/list */
const cartesiaVoices = z.object({
  data: z.array(z.object({ id: z.string(), name: z.string().nullish(), language: z.string().nullish() })),
});

export function cartesiaList(access: Access): FetchProviderList {
  return async (signal) => {
    const url = `${access.baseUrl}/voices?limit=${CARTESIA_VOICES_MAX}`;
    const { data } = await listedJson(url, headersOf(access), cartesiaVoices, signal);
    const voices = data.map(({ id, language, name }) => ({
      name: id,
      label: name ?? null,
      language: language ?? null,
    }));
    return { models: [], voices };
  };
}

function headersOf({ check }: Access): Readonly<Record<string, string>> {
  return check.type === 'request' ? check.headers : {};
}
