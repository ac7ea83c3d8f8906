import { z } from 'zod';

/**
 * One server-sent chunk of a streamed chat completion
 * (https://platform.openai.com/docs/api-reference/chat-streaming/streaming). Compatible servers differ: they omit
 * fields, send null, or omit `index`.
 */
const fragmentSchema = z.object({
  index: z.number().int().nonnegative().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

/** Some servers send partial usage in earlier chunks (LiteLLM, SGLang). It is ignored, and fails no response. */
const usageSchema = z
  .object({
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
  })
  .nullish()
  .catch(null);
const reportedSchema = z.union([z.string(), z.number()]).nullish();

/** Mistral's reasoning models send a list of thoughts and text. */
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
  /** Groq's field for it, besides the documented one. */
  x_groq: z.object({ usage: usageSchema }).nullish(),
  error: z
    .union([z.object({ code: reportedSchema, type: reportedSchema, status: reportedSchema }), z.string()])
    .nullish(),
  /** `error` of older vLLM versions, whose errors have no wrapper. */
  object: z.unknown().optional(),
  code: reportedSchema.catch(null),
  type: reportedSchema.catch(null),
});

export type ChatChunk = z.output<typeof chunkSchema>;

export function decodeChatChunk(json: unknown): ChatChunk | undefined {
  const chunk = chunkSchema.safeParse(json);
  return chunk.success ? chunk.data : undefined;
}
