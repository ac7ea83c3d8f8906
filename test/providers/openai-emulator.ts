import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { Delays, LoopbackServer } from './loopback-server.ts';
import { type ChatAnswer, type ChatStep, errorAnswer } from './openai-answers.ts';

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
  response_format: z
    .object({
      type: z.literal('json_schema'),
      json_schema: z.object({ name: z.string(), strict: z.boolean(), schema: z.looseObject({}) }),
    })
    .optional(),
});

export type ChatBody = z.output<typeof bodySchema>;

/** `nth` counts the requests of the server from 0. */
export type ChatScript = (body: ChatBody, nth: number) => ChatAnswer;

export interface OpenAiEmulator {
  /** With the version, as the adapters take it. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly requests: readonly ChatBody[];
  readonly openSockets: number;
  readonly connections: number;
  /** Requests that were neither answered to the end nor dropped by the client. */
  readonly activeRequests: number;
  /** How many requests the client let go before their end. */
  readonly droppedRequests: number;
  close(): Promise<void>;
}

const API_KEY = 'sk-emulated-key';

/** A loopback server that speaks OpenAI's streamed chat completions and refuses what the real one refuses. */
export async function startOpenAiEmulator(script: ChatScript): Promise<OpenAiEmulator> {
  const server = await LoopbackServer.listen();
  const delays = new Delays();
  const requests: ChatBody[] = [];
  let activeRequests = 0;
  let droppedRequests = 0;

  server.http.on('request', (request, response) => {
    activeRequests++;
    response.on('close', () => {
      activeRequests--;
      if (!response.writableFinished) droppedRequests++;
    });
    readBody(request, (text) => {
      const answer = refusal(request, text) ?? scripted(text);
      delays.after(answer.delayMs ?? 0, () => play(answer, response, delays));
    });
  });

  function scripted(text: string): ChatAnswer {
    const body = bodySchema.parse(JSON.parse(text));
    requests.push(body);
    return script(body, requests.length - 1);
  }

  return {
    baseUrl: `${server.origin}/v1`,
    apiKey: API_KEY,
    requests,
    get openSockets() {
      return server.openSockets;
    },
    get connections() {
      return server.connections;
    },
    get activeRequests() {
      return activeRequests;
    },
    get droppedRequests() {
      return droppedRequests;
    },
    close: () => {
      delays.clear();
      return server.close();
    },
  };
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

function readBody(request: IncomingMessage, done: (text: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(Buffer.concat(chunks).toString('utf8')));
}

function refusal(request: IncomingMessage, text: string): ChatAnswer | undefined {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') return errorAnswer(404);
  if (request.headers.authorization !== `Bearer ${API_KEY}`) {
    return errorAnswer(401, {
      message: `Incorrect API key provided: ${request.headers.authorization}`,
      code: 'invalid_api_key',
    });
  }
  const body = bodySchema.safeParse(JSON.parse(text));
  if (!body.success) return errorAnswer(400, { message: body.error.message, type: 'invalid_request_error' });
  return hasEveryToolResult(body.data)
    ? undefined
    : errorAnswer(400, { message: 'tool_calls without their tool messages', type: 'invalid_request_error' });
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

function play(answer: ChatAnswer, response: ServerResponse, delays: Delays): void {
  response.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream; charset=utf-8', ...answer.headers });
  response.flushHeaders();
  playFrom(answer.steps, 0, response, delays);
}

function playFrom(steps: readonly ChatStep[], at: number, response: ServerResponse, delays: Delays): void {
  const step = steps[at];
  if (step === undefined) {
    response.end();
    return;
  }
  if (step.type === 'stall' || response.destroyed) return;
  delays.after(step.delayMs ?? 0, () => {
    if (step.type === 'reset') {
      response.destroy();
      return;
    }
    response.write(step.type === 'raw' ? step.text : `data: ${JSON.stringify(step.json)}\n\n`);
    playFrom(steps, at + 1, response, delays);
  });
}
