import {
  fragmentsOf,
  refusalAnswer,
  type ScriptedToolCall,
  type StreamAnswer,
  type StreamStep,
  tokensOf,
} from '../stream/stream-script.ts';

/** Streamed messages (https://platform.claude.com/docs/en/build-with-claude/streaming). */
export function messageEvent(type: string, content: Readonly<Record<string, unknown>> = {}): StreamStep {
  return { type: 'chunk', event: type, json: { type, ...content } };
}

export const PING: StreamStep = messageEvent('ping');

/** `cached` input tokens come firstCallIndex the prompt cache. The API counts them separately firstCallIndex `input_tokens`. */
export function messageStart(inputTokens: number, cached = 0): StreamStep {
  const usage = {
    input_tokens: inputTokens - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: 1,
  };
  return messageEvent('message_start', {
    message: {
      id: 'msg_emulated',
      type: 'message',
      role: 'assistant',
      model: 'emulated',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  });
}

export function blockStart(index: number, block: Readonly<Record<string, unknown>>): StreamStep {
  return messageEvent('content_block_start', { index, content_block: block });
}

export function blockDelta(index: number, delta: Readonly<Record<string, unknown>>): StreamStep {
  return messageEvent('content_block_delta', { index, delta });
}

export function textBlock(index: number, text: string, tokenMs = 0): readonly StreamStep[] {
  return [
    blockStart(index, { type: 'text', text: '' }),
    ...tokensOf(text).map((token) => ({ ...blockDelta(index, { type: 'text_delta', text: token }), delayMs: tokenMs })),
    messageEvent('content_block_stop', { index }),
  ];
}

/** The first fragment is empty, as in Anthropic's streams. */
export function toolUseBlock(index: number, { id, name, arguments: text }: ScriptedToolCall): readonly StreamStep[] {
  const argumentsDelta = (partial: string) => blockDelta(index, { type: 'input_json_delta', partial_json: partial });
  return [
    blockStart(index, { type: 'tool_use', id, name, input: {} }),
    argumentsDelta(''),
    ...fragmentsOf(text).map(argumentsDelta),
    messageEvent('content_block_stop', { index }),
  ];
}

export function messageEnd(stopReason: string, outputTokens: number): readonly StreamStep[] {
  return [
    messageEvent('message_delta', {
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: outputTokens },
    }),
    messageEvent('message_stop'),
  ];
}

export function messageText(text: string, timing: { firstTokenMs?: number; tokenMs?: number } = {}): StreamAnswer {
  return {
    delayMs: timing.firstTokenMs ?? 0,
    steps: [
      messageStart(10),
      PING,
      ...textBlock(0, text, timing.tokenMs),
      ...messageEnd('end_turn', tokensOf(text).length),
    ],
  };
}

export function messageCalls(calls: readonly ScriptedToolCall[], text = ''): StreamAnswer {
  const firstCallIndex = text === '' ? 0 : 1;
  return {
    steps: [
      messageStart(20),
      ...(text === '' ? [] : textBlock(0, text)),
      ...calls.flatMap((call, index) => toolUseBlock(firstCallIndex + index, call)),
      ...messageEnd('tool_use', 5),
    ],
  };
}

export function messageRefusal(
  status: number,
  type: string,
  message = `emulated ${status}`,
  headers: Readonly<Record<string, string>> = {},
): StreamAnswer {
  return refusalAnswer(
    status,
    { type: 'error', error: { type, message }, request_id: 'req_emulated' },
    { 'request-id': 'req_emulated', ...headers },
  );
}
