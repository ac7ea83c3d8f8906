import { z } from 'zod';

/** Of a provider, a model or a voice; the longest ids in use are resource names of some 150. */
const PROVIDER_NAME_LENGTH_MAX = 300;

/** What an agent thinks, sounds and hears with; a part of its schema. */
export const llmSchema = z.strictObject({
  provider: z
    .string()
    .min(1)
    .max(PROVIDER_NAME_LENGTH_MAX)
    .describe("Name of a registered language model adapter. Left out: told by the model's name.")
    .optional(),
  model: z.string().min(1).max(PROVIDER_NAME_LENGTH_MAX).describe("The provider's own name of the model."),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe("0 to 2; 0: the likeliest words only; left out: the provider's own."),
});

export const voiceSchema = z.strictObject({
  provider: z.string().min(1).max(PROVIDER_NAME_LENGTH_MAX).describe('Name of a registered voice adapter.'),
  name: z.string().min(1).max(PROVIDER_NAME_LENGTH_MAX).describe("The provider's own name or id of the voice."),
  model: z
    .string()
    .min(1)
    .max(PROVIDER_NAME_LENGTH_MAX)
    .optional()
    .describe("The provider's own name of the model; left out: the adapter's."),
  instructions: z
    .string()
    .max(10_000)
    .optional()
    .describe('How to speak, for voices that take it; at most 10,000 characters.'),
  speed: z.number().min(0.5).max(2).default(1).describe('From 0.5 to 2 times the natural speed.'),
});

export const transcriberSchema = z.strictObject({
  provider: z.string().min(1).max(PROVIDER_NAME_LENGTH_MAX).describe('Name of a registered transcriber adapter.'),
  model: z
    .string()
    .min(1)
    .max(PROVIDER_NAME_LENGTH_MAX)
    .optional()
    .describe("The provider's own name of the model; left out: the adapter's."),
  eot_threshold: z
    .number()
    .min(0.5)
    .max(0.9)
    .optional()
    .describe('Of transcribers that end turns: how sure it must be that a turn is over, 0.5 to 0.9.'),
  eager_eot_threshold: z
    .number()
    .min(0.3)
    .max(0.9)
    .optional()
    .describe('Of the same: how sure it must be to begin an answer before the end, 0.3 to 0.9.'),
});
