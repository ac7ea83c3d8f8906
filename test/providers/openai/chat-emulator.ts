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
  /** With the version, as the adapters take it. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** What a server that is compatible with chat completions does in its own way. */
export interface ChatServerQuirks {
  /** `/v1/chat/completions` where absent. */
  readonly path?: string;
  /** `authorization: Bearer` where absent. */
  readonly keyHeader?: string;
  /** What it refuses that OpenAI takes. */
  readonly fault?: (body: ChatBody) => string | null;
}

const API_KEY = 'sk-emulated-key';

/** A loopback server that speaks streamed chat completions and refuses what the real one refuses. */
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

/** Answers by what the caller said last: the first entry whose pattern it matches. */
export function byLastUserMessage(
  entries: readonly (readonly [RegExp, ChatAnswer])[],
  otherwise: ChatAnswer,
): ChatScript {
  return (body) => {
    const said = body.messages.findLast((message) => message.role === 'user')?.content ?? '';
    return entries.find(([pattern]) => pattern.test(said))?.[1] ?? otherwise;
  };
}

/** Each call that an assistant message makes is answered by the tool messages right behind it. */
function hasEveryToolResult(body: ChatBody): boolean {
  return body.messages.every((message, at) => {
    const following = body.messages.slice(at + 1);
    const end = following.findIndex((next) => next.role !== 'tool');
    const results = end === -1 ? following : following.slice(0, end);
    return (message.tool_calls ?? []).every((call) => results.some((result) => result.tool_call_id === call.id));
  });
}
