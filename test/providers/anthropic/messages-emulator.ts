import { z } from 'zod';
import {
  type EmulatedApi,
  type StreamEmulator,
  type StreamScript,
  startStreamEmulator,
} from '../stream/stream-emulator.ts';
import { messageRefusal } from './messages-script.ts';

const textSchema = z.strictObject({
  type: z.literal('text'),
  text: z.string().regex(/\S/, 'text content blocks must be non-empty'),
  cache_control: z.object({ type: z.literal('ephemeral') }).optional(),
});
const idSchema = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const blockSchema = z.discriminatedUnion('type', [
  textSchema,
  z.strictObject({
    type: z.literal('tool_use'),
    id: idSchema,
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({ type: z.literal('tool_result'), tool_use_id: idSchema, content: z.string() }),
]);
type Block = z.output<typeof blockSchema>;

const turnSchema = z.object({
  role: z.enum(['user', 'assistant']),
  content: z
    .union([z.string().transform((text): Block[] => [{ type: 'text', text }]), z.array(blockSchema)])
    .refine((blocks) => blocks.length > 0),
});

/** Strict: Anthropic rejects unknown fields. */
const bodySchema = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.number().int().min(1).max(64_000),
  messages: z.array(turnSchema).min(1),
  stream: z.literal(true),
  system: z.union([z.string(), z.array(textSchema)]).optional(),
  tools: z
    .array(
      z.object({
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
      }),
    )
    .optional(),
  tool_choice: z.object({ type: z.enum(['auto', 'none', 'any', 'tool']) }).optional(),
  thinking: z.object({ type: z.enum(['disabled', 'between_tools', 'adaptive']) }).optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high']).optional(),
      format: z.strictObject({ type: z.literal('json_schema'), schema: z.looseObject({}) }).optional(),
    })
    .optional(),
});

export type MessageBody = z.output<typeof bodySchema>;

export interface AnthropicEmulator extends StreamEmulator<MessageBody> {
  /** Without the API version: the adapter and the official SDK append it. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

const API_KEY = 'sk-ant-emulated-key';

/** A loopback server for Anthropic's streamed messages. It rejects the requests that Anthropic rejects. */
export async function startAnthropicEmulator(script: StreamScript<MessageBody>): Promise<AnthropicEmulator> {
  const api: EmulatedApi<MessageBody> = {
    path: '/v1/messages',
    schema: bodySchema,
    isAuthorized: ({ headers }) =>
      headers.authorization === `Bearer ${API_KEY}` && headers['anthropic-version'] === '2026-10-21',
    fault,
    refuse: (status, message) =>
      messageRefusal(status, status === 401 ? 'authentication_error' : 'invalid_request_error', message),
  };
  const emulator = await startStreamEmulator(api, script);
  return Object.assign(emulator, { baseUrl: emulator.origin, apiKey: API_KEY });
}

function fault({ messages, tools }: MessageBody): string | null {
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role !== 'user') return 'This model does not support assistant message prefill.';
  const repeatedAt = messages.findIndex(({ role }, at) => role === messages[at - 1]?.role);
  if (repeatedAt !== -1) return `messages.${repeatedAt}: roles must alternate between "user" and "assistant"`;
  const calls = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_use'));
  if (calls.length > 0 && tools === undefined) return 'tools: calls in the history need their tools';
  return (
    messages.map(({ content }, at) => toolResultFault(content, messages[at + 1]?.content ?? [])).find(Boolean) ?? null
  );
}

/** The next turn must begin with the results of a turn's tool calls. */
function toolResultFault(calls: readonly Block[], next: readonly Block[]): string | null {
  const ids = calls.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  const results = next.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
  const missing = ids.find((id) => !results.includes(id));
  if (missing !== undefined) return `tool_use ids were found without tool_result blocks immediately after: ${missing}`;
  const stray = results.find((id) => !ids.includes(id));
  if (stray !== undefined) return `unexpected tool_use_id found in tool_result blocks: ${stray}`;
  const isFirst = next.slice(0, results.length).every(({ type }) => type === 'tool_result');
  return isFirst ? null : 'tool_result blocks must come first';
}
