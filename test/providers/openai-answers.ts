/**
 * What the chat completions emulator can be told to answer: the messages of the real protocol
 * (https://platform.openai.com/docs/api-reference/chat-streaming/streaming), and everything that can go wrong with them.
 */
export interface ChatAnswer {
  /** 200 where absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Before the status line. */
  readonly delayMs?: number;
  readonly steps: readonly ChatStep[];
}

export type ChatStep =
  /** One server-sent event with this JSON. */
  | { readonly type: 'chunk'; readonly json: unknown; readonly delayMs?: number }
  /** These very bytes. */
  | { readonly type: 'raw'; readonly text: string; readonly delayMs?: number }
  /** Nothing more comes, and the connection stays. */
  | { readonly type: 'stall' }
  /** The connection is cut where it stands. */
  | { readonly type: 'reset'; readonly delayMs?: number };

export interface ScriptedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Pieces of a tool call's arguments on the wire; small, so that merging is put to the test. */
const ARGUMENT_FRAGMENT_LENGTH = 7;

export function delta(content: Readonly<Record<string, unknown>>, finishReason: string | null = null): ChatStep {
  return {
    type: 'chunk',
    json: {
      id: 'chatcmpl-emulated',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'emulated',
      system_fingerprint: 'fp_emulated',
      choices: [{ index: 0, delta: content, logprobs: null, finish_reason: finishReason }],
    },
  };
}

export const DONE: ChatStep = { type: 'raw', text: 'data: [DONE]\n\n' };

export function usageChunk(inputTokens: number, outputTokens: number): ChatStep {
  return {
    type: 'chunk',
    json: {
      id: 'chatcmpl-emulated',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'emulated',
      choices: [],
      usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens },
    },
  };
}

/** The text in tokens of one word each, usage, and the end. */
export function textAnswer(text: string, timing: { firstTokenMs?: number; tokenMs?: number } = {}): ChatAnswer {
  const tokens = text.match(/\s*\S+/g) ?? [];
  return {
    delayMs: timing.firstTokenMs ?? 0,
    steps: [
      delta({ role: 'assistant', content: '', refusal: null }),
      ...tokens.map((content) => ({ ...delta({ content }), delayMs: timing.tokenMs ?? 0 })),
      delta({}, 'stop'),
      usageChunk(10, tokens.length),
      DONE,
    ],
  };
}

/** Text where there is any, then the calls, their fragments mixed as parallel calls come. */
export function toolCallsAnswer(
  calls: readonly ScriptedToolCall[],
  text = '',
  timing: { firstTokenMs?: number } = {},
): ChatAnswer {
  return {
    delayMs: timing.firstTokenMs ?? 0,
    steps: [
      delta({ role: 'assistant', content: text === '' ? null : text }),
      ...calls.map((call, index) =>
        delta({
          tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }],
        }),
      ),
      ...mixedFragments(calls),
      delta({}, 'tool_calls'),
      usageChunk(20, 5),
      DONE,
    ],
  };
}

function mixedFragments(calls: readonly ScriptedToolCall[]): readonly ChatStep[] {
  const longest = Math.max(0, ...calls.map((call) => call.arguments.length));
  const steps: ChatStep[] = [];
  for (let at = 0; at < longest; at += ARGUMENT_FRAGMENT_LENGTH) {
    calls.forEach((call, index) => {
      const fragment = call.arguments.slice(at, at + ARGUMENT_FRAGMENT_LENGTH);
      if (fragment !== '') steps.push(delta({ tool_calls: [{ index, function: { arguments: fragment } }] }));
    });
  }
  return steps;
}

export function errorAnswer(
  status: number,
  error: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): ChatAnswer {
  const body = JSON.stringify({
    error: { message: `emulated ${status}`, type: 'error', param: null, code: null, ...error },
  });
  return { status, headers: { 'content-type': 'application/json', ...headers }, steps: [{ type: 'raw', text: body }] };
}
