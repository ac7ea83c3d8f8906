import { describe, expect, it } from 'vitest';
import { createResponses } from '../../../adapters/openai/responses.ts';
import { responsesRequest } from '../../../adapters/openai/responses-request.ts';
import { startResponsesEmulator } from '../../providers/openai/responses-emulator.ts';
import {
  completed,
  failedResponse,
  functionCallAdded,
  functionCallDone,
  incomplete,
  RESPONSE_START,
  responseCalls,
  responseEvent,
  responseRefusal,
  responseText,
  textDelta,
} from '../../providers/openai/responses-script.ts';
import type { StreamStep } from '../../providers/stream/stream-script.ts';
import { CONTRACT_MODEL_REQUEST, CONTRACT_TOOL_CALLS } from '../contract/language-model.ts';
import { ModelRig } from '../contract/model-rig.ts';
import { type StreamedModelSubject, streamedModelContract } from '../contract/streamed-model.ts';

const SUBJECT: StreamedModelSubject = {
  start: (answer) => startResponsesEmulator(() => answer),
  create: createResponses,
  answers: {
    text: responseText('A table for two.'),
    doubled: {
      steps: [
        ...RESPONSE_START,
        textDelta('A table for two.'),
        completed(10, 4),
        textDelta(' again'),
        completed(10, 4),
      ],
    },
    tools: responseCalls(CONTRACT_TOOL_CALLS, 'Let me look.'),
    firstChunks: [...RESPONSE_START, textDelta('A table')],
    malformed: [{ type: 'raw', text: 'event: response.output_text.delta\ndata: {"type":"resp\n\n' }],
    refused: (status, headers) => responseRefusal(status, { message: 'key sk-emulated-responses-key' }, headers),
  },
};

streamedModelContract('openai-responses', SUBJECT);

describe('openai responses', () => {
  const rig = new ModelRig(SUBJECT);
  const ask = (...steps: readonly StreamStep[]) => rig.ask({ steps: [...RESPONSE_START, ...steps] });

  it('sends the request as the protocol defines, and the provider stores nothing', async () => {
    const answer = responseText('Yes.');
    const log = await rig.ask(answer, {
      ...CONTRACT_MODEL_REQUEST,
      temperature: 0.3,
      messages: [
        ...CONTRACT_MODEL_REQUEST.messages,
        { role: 'assistant', content: 'One moment.', toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{}' }] },
        { role: 'tool', toolCallId: 'call_1', content: 'sunny' },
      ],
    });
    expect(log.events.at(-1)?.type).toBe('done');
    expect(rig.requests[0]).toMatchObject({
      stream: true,
      store: false,
      temperature: 0.3,
      input: [
        { role: 'system', content: 'You book tables.' },
        { role: 'user', content: 'A table, please.' },
        { role: 'assistant', content: 'One moment.' },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
      ],
      tools: [
        { type: 'function', name: 'find_table', strict: false },
        { type: 'function', name: 'weather' },
      ],
    });
  });

  it('requests JSON of a schema', () => {
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
    const request = { ...CONTRACT_MODEL_REQUEST, functions: [], answerSchema: { name: 'variables', schema } };
    expect(responsesRequest(request)).toMatchObject({
      text: { format: { type: 'json_schema', name: 'variables', schema, strict: true } },
    });
    expect(responsesRequest(request).tools).toBeUndefined();
  });

  it('requests the least reasoning, and omits the temperature that reasoning models refuse', () => {
    const request = { ...CONTRACT_MODEL_REQUEST, model: 'gpt-6-sol', temperature: 0 };
    expect(responsesRequest(request)).toMatchObject({ reasoning: { effort: 'low' } });
    expect(responsesRequest(request).temperature).toBeUndefined();
  });

  it('accepts arguments that arrive only with the end of their item', async () => {
    const call = { id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' };
    const log = await ask(functionCallAdded(call, 0), functionCallDone(call, 0), completed(1, 1));
    expect(log.events).toEqual([
      { type: 'tool_call', call },
      { type: 'done', finish: 'tool_calls', usage: { inputTokens: 1, outputTokens: 1 } },
    ]);
  });

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
  ] as const)('never emits calls truncated by %s', async (reason, finish) => {
    const call = { id: 'call_1', name: 'weather', arguments: '{"ci' };
    const log = await ask(functionCallAdded(call, 0), incomplete(reason));
    expect(log.events).toEqual([{ type: 'done', finish, usage: { inputTokens: 1, outputTokens: 1 } }]);
  });

  it('ignores unknown events', async () => {
    const log = await ask(
      responseEvent('response.reasoning_summary_text.delta', { delta: 'Hm' }),
      textDelta('Yes.'),
      completed(1, 1),
    );
    expect(log.types()).toEqual(['text', 'done']);
  });

  it.each([
    [failedResponse('server_error'), { code: 'unavailable', retryable: true }],
    [failedResponse('rate_limit_exceeded'), { code: 'rate_limited', retryable: true }],
    [failedResponse('invalid_prompt'), { code: 'bad_request', retryable: false }],
    [responseEvent('error', { code: 'server_error', message: 'sk-x', param: null }), { code: 'unavailable' }],
    [responseEvent('response.output_text.delta', { delta: 7 }), { code: 'malformed' }],
    [responseEvent('response.function_call_arguments.delta', { output_index: 3, delta: '{' }), { code: 'malformed' }],
    [
      responseEvent('response.output_item.added', { output_index: 0, item: { type: 'function_call', name: 'f' } }),
      { code: 'malformed' },
    ],
  ] as const)('reports an error in the stream: %#', async (step, error) => {
    const log = await ask(step, textDelta('never'), completed(1, 1));
    expect(log.events).toMatchObject([{ type: 'failed', error: { provider: 'openai-responses', ...error } }]);
    expect(JSON.stringify(log.events)).not.toContain('sk-x');
  });
});
