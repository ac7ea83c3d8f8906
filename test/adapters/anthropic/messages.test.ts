import { describe, expect, it } from 'vitest';
import { createMessages } from '../../../adapters/anthropic/messages.ts';
import { startAnthropicEmulator } from '../../providers/anthropic/messages-emulator.ts';
import {
  blockDelta,
  blockStart,
  messageCalls,
  messageEnd,
  messageEvent,
  messageRefusal,
  messageStart,
  messageText,
  PING,
  textBlock,
  toolUseBlock,
} from '../../providers/anthropic/messages-script.ts';
import type { StreamStep } from '../../providers/stream/stream-script.ts';
import { CONTRACT_MODEL_REQUEST, CONTRACT_TOOL_CALLS } from '../contract/language-model.ts';
import { ModelRig } from '../contract/model-rig.ts';
import { type StreamedModelSubject, streamedModelContract } from '../contract/streamed-model.ts';

const TYPE_OF_STATUS = { 401: 'authentication_error', 429: 'rate_limit_error', 500: 'api_error' } as const;
const END = messageEnd('end_turn', 4);
const SUBJECT: StreamedModelSubject = {
  start: (answer) => startAnthropicEmulator(() => answer),
  create: createMessages,
  answers: {
    text: messageText('A table for two.'),
    doubled: {
      steps: [messageStart(10), ...textBlock(0, 'A table for two.'), ...END, ...textBlock(1, ' Again.'), ...END],
    },
    tools: messageCalls(CONTRACT_TOOL_CALLS, 'Let me look.'),
    firstChunks: [
      messageStart(10),
      blockStart(0, { type: 'text', text: '' }),
      blockDelta(0, { type: 'text_delta', text: 'A table' }),
    ],
    malformed: [{ type: 'raw', text: 'event: content_block_delta\ndata: {"type":"content_bl\n\n' }],
    refused: (status, headers) =>
      messageRefusal(status, TYPE_OF_STATUS[status], 'invalid x-api-key sk-ant-emulated-key', headers),
  },
};

streamedModelContract('anthropic', SUBJECT);

describe('anthropic messages', () => {
  const rig = new ModelRig(SUBJECT);
  const ask = (...steps: readonly StreamStep[]) => rig.ask({ steps: [messageStart(10), ...steps] });

  it('counts tokens read from the cache as input', async () => {
    const log = await rig.ask({
      steps: [messageStart(1_500, 1_400), ...textBlock(0, 'Yes.'), ...messageEnd('end_turn', 3)],
    });
    expect(log.events.at(-1)).toEqual({
      type: 'done',
      finish: 'stop',
      usage: { inputTokens: 1_500, cachedInputTokens: 1_400, outputTokens: 3 },
    });
  });

  it('omits thoughts and ignores unknown blocks', async () => {
    const log = await ask(
      blockStart(0, { type: 'thinking', thinking: '' }),
      blockDelta(0, { type: 'thinking_delta', thinking: 'The caller wants…' }),
      blockDelta(0, { type: 'signature_delta', signature: 'EqQB' }),
      messageEvent('content_block_stop', { index: 0 }),
      messageEvent('something_new', { index: 0 }),
      PING,
      ...textBlock(1, 'Yes.'),
      ...messageEnd('end_turn', 3),
    );
    expect(log.events.map((event) => (event.type === 'text' ? event.text : event.type))).toEqual(['Yes.', 'done']);
  });

  it('gives a function without arguments an empty object', async () => {
    const call = { id: 'toolu_1', name: 'end_call', arguments: '' };
    const log = await ask(...toolUseBlock(0, call), ...messageEnd('tool_use', 3));
    expect(log.events[0]).toEqual({ type: 'tool_call', call: { ...call, arguments: '{}' } });
  });

  it.each([
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
  ] as const)('never emits calls truncated by %s', async (reason, finish) => {
    const call = { id: 'toolu_1', name: 'weather', arguments: '{"ci' };
    const log = await ask(...toolUseBlock(0, call), ...messageEnd(reason, 3));
    expect(log.events).toMatchObject([{ type: 'done', finish }]);
  });

  it('a connection lost after the finish is not a failure', async () => {
    const [finish] = messageEnd('end_turn', 3);
    const steps = [...textBlock(0, 'Yes.'), ...(finish === undefined ? [] : [finish])];
    const log = await ask(...steps, { type: 'reset', delayMs: 10 });
    expect(log.types()).toEqual(['text', 'done']);
  });

  it.each([
    ['overloaded_error', { code: 'unavailable', retryable: true }],
    ['api_error', { code: 'unavailable', retryable: true }],
    ['rate_limit_error', { code: 'rate_limited', retryable: true }],
    ['timeout_error', { code: 'timeout', retryable: true }],
    ['invalid_request_error', { code: 'bad_request', retryable: false }],
    ['authentication_error', { code: 'unauthorized', retryable: false }],
    ['billing_error', { code: 'bad_request', retryable: false }],
  ] as const)('an error during the stream: %s', async (type, error) => {
    const log = await ask(
      messageEvent('error', { error: { type, message: 'sk-ant-secret' } }),
      ...textBlock(0, 'never'),
    );
    expect(log.events).toMatchObject([{ type: 'failed', error: { provider: 'anthropic', ...error } }]);
    expect(JSON.stringify(log.events)).not.toContain('sk-ant-secret');
  });

  it.each([
    [messageRefusal(529, 'overloaded_error'), { code: 'unavailable', retryable: true, httpStatus: 529 }],
    [messageRefusal(404, 'not_found_error'), { code: 'bad_request', message: 'HTTP status 404 (not_found_error)' }],
    [messageRefusal(413, 'request_too_large'), { code: 'bad_request', retryable: false }],
    [messageRefusal(402, 'billing_error'), { code: 'bad_request', retryable: false }],
  ] as const)('reports the reason of a refusal: %#', async (answer, error) => {
    const log = await rig.ask(answer);
    expect(log.events).toMatchObject([{ type: 'failed', error }]);
  });

  it.each([
    ['a delta of another shape', blockDelta(0, { type: 7 })],
    ['a fragment of a call without its start', blockDelta(4, { type: 'input_json_delta', partial_json: '{' })],
    ['a call without its id', blockStart(0, { type: 'tool_use', name: 'weather' })],
    ['a start without a message', messageEvent('message_start', {})],
  ])('reports a malformed message: %s', async (_name, step) => {
    const log = await ask(step, ...textBlock(1, 'never'), ...messageEnd('end_turn', 1));
    expect(log.events).toMatchObject([{ type: 'failed', error: { code: 'malformed' } }]);
  });

  it('emits only the JSON object that the prompt requires, once it is complete', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string' } } };
    const log = await rig.ask(messageText('```json\n{"name": "Ada {x}"}\n```'), {
      ...CONTRACT_MODEL_REQUEST,
      functions: [],
      answerSchema: { name: 'variables', schema },
    });
    expect(log.events).toMatchObject([
      { type: 'text', text: '{"name": "Ada {x}"}' },
      { type: 'done', finish: 'stop' },
    ]);
    expect(JSON.stringify(rig.requests[0])).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
  });
});
