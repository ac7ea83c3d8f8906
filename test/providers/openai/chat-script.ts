import {
  fragmentsOf,
  refusalAnswer,
  type ScriptedToolCall,
  type StreamAnswer,
  type StreamStep,
  tokensOf,
} from '../stream/stream-script.ts';

/** Chat completions (https://platform.openai.com/docs/api-reference/chat-streaming/streaming). */
export type ChatAnswer = StreamAnswer;
export type ChatStep = StreamStep;

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

/** The text in tokens of one word, then the usage and the end. */
export function textAnswer(text: string, timing: { firstTokenMs?: number; tokenMs?: number } = {}): ChatAnswer {
  const tokens = tokensOf(text);
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

/** The text, then its end twice; the second end carries more words. */
export function doubledAnswer(text: string): ChatAnswer {
  const firstDelta = delta({ role: 'assistant', content: text });
  return {
    steps: [firstDelta, delta({}, 'stop'), delta({ content: ' again' }, 'stop'), usageChunk(10, 4), DONE, DONE],
  };
}

/** The text, if any, then the tool calls. The fragments of parallel calls are interleaved. */
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
      ...interleavedFragments(calls),
      delta({}, 'tool_calls'),
      usageChunk(20, 5),
      DONE,
    ],
  };
}

function interleavedFragments(calls: readonly ScriptedToolCall[]): readonly ChatStep[] {
  const fragmentsByCall = calls.map((call) => fragmentsOf(call.arguments));
  const longest = Math.max(0, ...fragmentsByCall.map((fragments) => fragments.length));
  const steps: ChatStep[] = [];
  for (let at = 0; at < longest; at++) {
    fragmentsByCall.forEach((fragments, index) => {
      const fragment = fragments[at];
      if (fragment !== undefined) steps.push(delta({ tool_calls: [{ index, function: { arguments: fragment } }] }));
    });
  }
  return steps;
}

export function errorAnswer(
  status: number,
  error: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): ChatAnswer {
  const body = { message: `emulated ${status}`, type: 'error', param: null, code: null, ...error };
  return refusalAnswer(status, { error: body }, headers);
}
