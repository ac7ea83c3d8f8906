import { z } from 'zod';
import {
  type EmulatedApi,
  type StreamEmulator,
  type StreamScript,
  startStreamEmulator,
} from '../stream/stream-emulator.ts';
import { type ChatAnswer, errorAnswer } from './chat-script.ts';

const messageSchema = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.string().nullish(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(
      z.object({
        id: z.string(),
        type: z.literal('function'),
        function: z.object({ name: z.string(), arguments: z.string() }),
      }),
    )
    .min(1)
    .optional(),
});

const bodySchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  stream: z.literal(true),
  stream_options: z.object({ include_usage: z.boolean() }).optional(),
  temperature: z.number().optional(),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.looseObject({
          name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
          parameters: z.looseObject({}).optional(),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }).optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
  response_format: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('json_object') }),
      z.object({
        type: z.literal('json_schema'),
        json_schema: z.object({ name: z.string(), strict: z.boolean(), schema: z.looseObject({}) }),
      }),
    ])
    .optional(),
});

export type ChatBody = z.output<typeof bodySchema>;

export type ChatScript = StreamScript<ChatBody>;

export interface OpenAiEmulator extends StreamEmulator<ChatBody> {
  /** With the API version, as the adapters expect it. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** How a server that is compatible with chat completions differs from OpenAI. */
export interface ChatServerQuirks {
  /** Default `/v1/chat/completions`. */
  readonly path?: string;
  /** Header with the key. Default: `authorization: Bearer`. */
  readonly keyHeader?: string;
  /** Finds a fault in a request that OpenAI accepts; null: none. */
  readonly fault?: (body: ChatBody) => string | null;
}

const API_KEY = 'sk-emulated-key';

/** A loopback server for streamed chat completions. It rejects the requests that OpenAI rejects. */
export async function startOpenAiEmulator(script: ChatScript, quirks: ChatServerQuirks = {}): Promise<OpenAiEmulator> {
  const api: EmulatedApi<ChatBody> = {
    path: quirks.path ?? '/v1/chat/completions',
    schema: bodySchema,
    isAuthorized: ({ headers }) =>
      quirks.keyHeader === undefined
        ? headers.authorization === `Bearer ${API_KEY}`
        : headers[quirks.keyHeader] === API_KEY,
    fault: (body) => (hasEveryToolResult(body) ? (quirks.fault?.(body) ?? null) : 'tool_calls without their messages'),
    refuse: (status, message) =>
      errorAnswer(status, {
        message,
        ...(status === 401 ? { code: 'invalid_api_key' } : { type: 'invalid_request_error' }),
      }),
  };
  const emulator = await startStreamEmulator(api, script);
  return Object.assign(emulator, { baseUrl: `${emulator.origin}/v1`, apiKey: API_KEY });
}

/** Answers with the first entry whose pattern matches the last user message. */
export function byLastUserMessage(
  entries: readonly (readonly [RegExp, ChatAnswer])[],
  otherwise: ChatAnswer,
): ChatScript {
  return (body) => {
    const lastUserMessage = body.messages.findLast((message) => message.role === 'user')?.content ?? '';
    return entries.find(([pattern]) => pattern.test(lastUserMessage))?.[1] ?? otherwise;
  };
}

/** The tool messages directly after an assistant message must answer each of its tool calls. */
function hasEveryToolResult(body: ChatBody): boolean {
  return body.messages.every((message, at) => {
    const following = body.messages.slice(at + 1);
    const end = following.findIndex((next) => next.role !== 'tool');
    const results = end === -1 ? following : following.slice(0, end);
    return (message.tool_calls ?? []).every((call) => results.some((result) => result.tool_call_id === call.id));
  });
}
