import { z } from 'zod';

/**
 * One server-sent chunk of a streamed chat completion
 * (https://platform.openai.com/docs/api-reference/chat-streaming/streaming). Compatible servers differ: fields are left
 * out, null, or without their `index`.
 */
const fragmentSchema = z.object({
  index: z.number().int().nonnegative().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

/** Some tell a part of it in chunks before the last (LiteLLM, SGLang): that is none, and costs no answer. */
const usageSchema = z
  .object({
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
  })
  .nullish()
  .catch(null);
const reportedSchema = z.union([z.string(), z.number()]).nullish();

/** Mistral's reasoning models send a list: thoughts, and the text. */
const contentSchema = z.union([
  z.string(),
  z
    .array(z.object({ type: z.string(), text: z.string().nullish() }))
    .transform((parts) => parts.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('')),
]);

const chunkSchema = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: contentSchema.nullish(),
            refusal: z.string().nullish(),
            tool_calls: z.array(fragmentSchema).nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: usageSchema,
  /** Groq's place for it, besides the documented one. */
  x_groq: z.object({ usage: usageSchema }).nullish(),
  error: z
    .union([z.object({ code: reportedSchema, type: reportedSchema, status: reportedSchema }), z.string()])
    .nullish(),
  /** `error` from older vLLM, whose errors stand bare. */
  object: z.unknown().optional(),
  code: reportedSchema.catch(null),
  type: reportedSchema.catch(null),
});

export type ChatChunk = z.output<typeof chunkSchema>;

export function decodeChatChunk(json: unknown): ChatChunk | undefined {
  const chunk = chunkSchema.safeParse(json);
  return chunk.success ? chunk.data : undefined;
}
