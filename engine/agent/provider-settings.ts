import { z } from 'zod';

/** Characters in the name of a provider, model or voice. The longest known ids are resource names of about 150. */
const PROVIDER_NAME_LENGTH_MAX = 300;

/** Language model, voice and transcriber of an agent: parts of its schema. */
export const llmSchema = z
  .strictObject({
    provider: z
      .string()
      .min(1)
      .max(PROVIDER_NAME_LENGTH_MAX)
      .describe('Language model provider, for example `openai`. Default: derived from the name of the model.')
      .optional(),
    model: z.string().min(1).max(PROVIDER_NAME_LENGTH_MAX).describe('Name of the model at the provider.'),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .optional()
      .describe('Sampling temperature, 0 to 2. 0: the most likely words only. Default: that of the provider.'),
  })
  .meta({ id: 'LanguageModel', description: 'A language model and its provider.' });

export const voiceSchema = z
  .strictObject({
    provider: z.string().min(1).max(PROVIDER_NAME_LENGTH_MAX).describe('Voice provider, for example `deepgram`.'),
    name: z.string().min(1).max(PROVIDER_NAME_LENGTH_MAX).describe('Name or identifier of the voice at the provider.'),
    model: z
      .string()
      .min(1)
      .max(PROVIDER_NAME_LENGTH_MAX)
      .optional()
      .describe('Name of the model at the provider. Default: the recommended model.'),
    instructions: z
      .string()
      .max(10_000)
      .optional()
      .describe('Speaking instructions for voices that support them, at most 10,000 characters.'),
    speed: z
      .number()
      .min(0.5)
      .max(2)
      .default(1)
      .describe('Speaking speed, 0.5 to 2 times the natural speed. Default 1.'),
  })
  .meta({ id: 'Voice', description: 'A voice (text-to-speech) and its provider.' });

export const transcriberSchema = z
  .strictObject({
    provider: z.string().min(1).max(PROVIDER_NAME_LENGTH_MAX).describe('Transcriber provider, for example `deepgram`.'),
    model: z
      .string()
      .min(1)
      .max(PROVIDER_NAME_LENGTH_MAX)
      .optional()
      .describe('Name of the model at the provider. Default: the recommended model.'),
    eot_threshold: z
      .number()
      .min(0.5)
      .max(0.9)
      .optional()
      .describe(
        'Confidence that ends a turn, 0.5 to 0.9, for transcribers with turn detection. Default: that of the provider.',
      ),
    eager_eot_threshold: z
      .number()
      .min(0.3)
      .max(0.9)
      .optional()
      .describe(
        'Confidence that starts eager generation before the end of the turn, 0.3 to 0.9, for transcribers with turn detection. Default: off.',
      ),
  })
  .meta({ id: 'Transcriber', description: 'A transcriber (speech-to-text) and its provider.' });
