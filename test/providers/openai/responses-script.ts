import {
  fragmentsOf,
  refusalAnswer,
  type ScriptedToolCall,
  type StreamAnswer,
  type StreamStep,
  tokensOf,
} from '../stream/stream-script.ts';

/** Streamed responses (https://platform.openai.com/docs/api-reference/responses-streaming). */
export function responseEvent(type: string, content: Readonly<Record<string, unknown>>): StreamStep {
  return { type: 'chunk', event: type, json: { type, sequence_number: 0, ...content } };
}

function response(content: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    response: {
      id: 'resp_emulated',
      object: 'response',
      created_at: 1_700_000_000,
      status: 'in_progress',
      error: null,
      incomplete_details: null,
      model: 'emulated',
      output: [],
      parallel_tool_calls: true,
      tools: [],
      usage: null,
      ...content,
    },
  };
}

export const RESPONSE_START: readonly StreamStep[] = [
  responseEvent('response.created', response()),
  responseEvent('response.in_progress', response()),
];

export function textDelta(text: string): StreamStep {
  return responseEvent('response.output_text.delta', { ...MESSAGE_POSITION, delta: text, logprobs: [] });
}

const MESSAGE_POSITION = { item_id: 'msg_emulated', output_index: 0, content_index: 0 };

function messageSteps(text: string, tokenMs = 0): readonly StreamStep[] {
  const part = (partText: string) => ({ type: 'output_text', text: partText, annotations: [], logprobs: [] });
  const item = (itemText: string, status: string) => ({
    output_index: 0,
    item: {
      id: 'msg_emulated',
      type: 'message',
      role: 'assistant',
      status,
      content: itemText === '' ? [] : [part(itemText)],
    },
  });
  return [
    responseEvent('response.output_item.added', item('', 'in_progress')),
    responseEvent('response.content_part.added', { ...MESSAGE_POSITION, part: part('') }),
    ...tokensOf(text).map((token) => ({ ...textDelta(token), delayMs: tokenMs })),
    responseEvent('response.output_text.done', { ...MESSAGE_POSITION, text, logprobs: [] }),
    responseEvent('response.content_part.done', { ...MESSAGE_POSITION, part: part(text) }),
    responseEvent('response.output_item.done', item(text, 'completed')),
  ];
}

export function functionCallAdded({ id, name }: ScriptedToolCall, index: number): StreamStep {
  const item = { id: `fc_${id}`, type: 'function_call', status: 'in_progress', call_id: id, name, arguments: '' };
  return responseEvent('response.output_item.added', { output_index: index, item });
}

export function functionCallDone(call: ScriptedToolCall, index: number): StreamStep {
  const item = { id: `fc_${call.id}`, type: 'function_call', status: 'completed', call_id: call.id, name: call.name };
  return responseEvent('response.output_item.done', {
    output_index: index,
    item: { ...item, arguments: call.arguments },
  });
}

function callSteps(call: ScriptedToolCall, index: number): readonly StreamStep[] {
  const position = { item_id: `fc_${call.id}`, output_index: index };
  return [
    functionCallAdded(call, index),
    ...fragmentsOf(call.arguments).map((delta) =>
      responseEvent('response.function_call_arguments.delta', { ...position, delta }),
    ),
    responseEvent('response.function_call_arguments.done', { ...position, arguments: call.arguments }),
    functionCallDone(call, index),
  ];
}

/** The end of a response, with its usage. */
export function completed(inputTokens: number, outputTokens: number, output: readonly unknown[] = []): StreamStep {
  const usage = { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
  return responseEvent('response.completed', response({ status: 'completed', usage, output }));
}

export function incomplete(reason: string): StreamStep {
  return responseEvent(
    'response.incomplete',
    response({ status: 'incomplete', incomplete_details: { reason }, usage: { input_tokens: 1, output_tokens: 1 } }),
  );
}

export function failedResponse(code: string): StreamStep {
  return responseEvent('response.failed', response({ status: 'failed', error: { code, message: `emulated ${code}` } }));
}

export function responseText(text: string, timing: { firstTokenMs?: number; tokenMs?: number } = {}): StreamAnswer {
  return {
    delayMs: timing.firstTokenMs ?? 0,
    steps: [...RESPONSE_START, ...messageSteps(text, timing.tokenMs), completed(10, tokensOf(text).length)],
  };
}

/** The text, if any, then the tool calls. Each is an item of the output. */
export function responseCalls(calls: readonly ScriptedToolCall[], text = ''): StreamAnswer {
  const firstCallIndex = text === '' ? 0 : 1;
  return {
    steps: [
      ...RESPONSE_START,
      ...(text === '' ? [] : messageSteps(text)),
      ...calls.flatMap((call, index) => callSteps(call, firstCallIndex + index)),
      completed(20, 5),
    ],
  };
}

export function responseRefusal(
  status: number,
  error: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): StreamAnswer {
  const body = { message: `emulated ${status}`, type: 'error', param: null, code: null, ...error };
  return refusalAnswer(status, { error: body }, headers);
}
