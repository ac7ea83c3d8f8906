import { z } from 'zod';

/**
 * One server-sent chunk of a streamed chat completion
 * (https://platform.openai.com/docs/api-reference/chat-streaming/streaming). Checked here, because the SDK passes on
 * whatever JSON came, and compatible servers differ: fields are left out, null, or without their `index`.
 */
const fragmentSchema = z.object({
  index: z.number().int().nonnegative().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

const chunkSchema = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z.array(fragmentSchema).nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});

export type ChatChunk = z.output<typeof chunkSchema>;
export type ToolCallFragment = z.output<typeof fragmentSchema>;

export function decodeChatChunk(json: unknown): ChatChunk | undefined {
  const chunk = chunkSchema.safeParse(json);
  return chunk.success ? chunk.data : undefined;
}
