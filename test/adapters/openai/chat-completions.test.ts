import { afterEach, describe, expect, it } from 'vitest';
import { createChatCompletions } from '../../../adapters/openai/chat-completions.ts';
import type { StreamedLanguageModel } from '../../../adapters/streamed-model/streamed-language-model.ts';
import type { ModelEvent, ModelRequest } from '../../../engine/ports/language-model.ts';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../providers/openai/chat-emulator.ts';
import {
  type ChatAnswer,
  DONE,
  delta,
  doubledAnswer,
  errorAnswer,
  textAnswer,
  toolCallsAnswer,
  usageChunk,
} from '../../providers/openai/chat-script.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import { CONTRACT_MODEL_REQUEST, CONTRACT_TOOL_CALLS } from '../contract/language-model.ts';
import { streamedModelContract, WIDE_DEADLINES } from '../contract/streamed-model.ts';

const FIRST_CHUNKS = [delta({ role: 'assistant', content: 'A table' })];

streamedModelContract('openai', {
  start: (answer) => startOpenAiEmulator(() => answer),
  create: createChatCompletions,
  answers: {
    text: textAnswer('A table for two.'),
    doubled: doubledAnswer('A table for two.'),
    tools: toolCallsAnswer(CONTRACT_TOOL_CALLS, 'Let me look.'),
    firstChunks: FIRST_CHUNKS,
    malformed: [{ type: 'raw', text: 'data: {"choices":[{"del\n\n' }],
    refused: (status, headers) =>
      errorAnswer(status, { message: 'Incorrect API key provided: sk-emulated-key', code: 'some_code' }, headers),
  },
});

describe('openai language model', () => {
  let emulator: OpenAiEmulator | undefined;
  let model: StreamedLanguageModel | undefined;

  afterEach(async () => {
    await model?.close();
    await emulator?.close();
  });

  async function ask(answer: ChatAnswer | readonly ChatAnswer[], request: ModelRequest = CONTRACT_MODEL_REQUEST) {
    const answers = Array.isArray(answer) ? answer : [answer];
    emulator = await startOpenAiEmulator((_body, nth) => answers[nth] ?? errorAnswer(500));
    model = createChatCompletions(emulator, WIDE_DEADLINES);
    return { emulator, model, log: await generate(model, request) };
  }

  async function generate(target: StreamedLanguageModel, request: ModelRequest): Promise<EventLog<ModelEvent>> {
    const log = new EventLog<ModelEvent>();
    log.call(() => target.generate(request, log.emit));
    await waitFor(() => expect(['done', 'failed']).toContain(log.events.at(-1)?.type));
    return log;
  }

  it('sends roles, calls with their results, functions and the temperature as the protocol defines', async () => {
    const { emulator, log } = await ask(textAnswer('Yes.'), {
      ...CONTRACT_MODEL_REQUEST,
      temperature: 0.3,
      messages: [
        ...CONTRACT_MODEL_REQUEST.messages,
        { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{}' }] },
        { role: 'tool', toolCallId: 'call_1', content: 'sunny' },
      ],
    });
    expect(log.events.at(-1)?.type).toBe('done');
    expect(emulator.requests[0]).toMatchObject({
      model: 'any-model',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.3,
      messages: [
        { role: 'system', content: 'You book tables.' },
        { role: 'user', content: 'A table, please.' },
        { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function' }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      ],
      tools: [{ function: { name: 'find_table' } }, { function: { name: 'weather' } }],
    });
  });

  it('requests JSON, in strict mode if the schema fits', async () => {
    const openSchema = { type: 'object', properties: { name: { type: 'string' } } };
    const closedSchema = { ...openSchema, required: ['name'], additionalProperties: false };
    const request = { ...CONTRACT_MODEL_REQUEST, functions: [] };
    const { emulator, model } = await ask([textAnswer('{"name":"Ada"}'), textAnswer('{}')], {
      ...request,
      answerSchema: { name: 'variables', schema: closedSchema },
    });
    await generate(model, { ...request, answerSchema: { name: 'variables', schema: openSchema } });
    const formats = emulator.requests.map((body) => body.response_format);
    expect(formats).toEqual([
      { type: 'json_schema', json_schema: { name: 'variables', strict: true, schema: closedSchema } },
      { type: 'json_schema', json_schema: { name: 'variables', strict: false, schema: openSchema } },
    ]);
    expect(emulator.requests[0]?.tools).toBeUndefined();
  });

  it('uses one connection for the turns of a conversation', async () => {
    const { emulator, model } = await ask([textAnswer('One.'), textAnswer('Two.'), textAnswer('Three.')]);
    await generate(model, CONTRACT_MODEL_REQUEST);
    await generate(model, CONTRACT_MODEL_REQUEST);
    expect(emulator.requests).toHaveLength(3);
    expect(emulator.connections).toBe(1);
  });

  it('emits a token while the response is still growing', async () => {
    emulator = await startOpenAiEmulator(() => ({ steps: [...FIRST_CHUNKS, { type: 'stall' }] }));
    model = createChatCompletions(emulator, WIDE_DEADLINES);
    const log = new EventLog<ModelEvent>();
    const generation = log.call(() => model?.generate(CONTRACT_MODEL_REQUEST, log.emit));
    await log.until('text');
    generation?.cancel();
    await waitFor(() => expect(emulator?.droppedRequests).toBe(1));
    expect(log.events).toEqual([{ type: 'text', text: 'A table' }]);
  });

  it('emits calls at the finish, and ends without usage if none arrives', async () => {
    const { log } = await ask({
      steps: [
        delta({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'weather', arguments: '{}' } }] }),
        delta({}, 'tool_calls'),
        { type: 'stall' },
      ],
    });
    expect(log.events).toEqual([
      { type: 'tool_call', call: { id: 'call_1', name: 'weather', arguments: '{}' } },
      { type: 'done', finish: 'tool_calls' },
    ]);
  });

  it('a connection lost after the finish loses only the usage', async () => {
    const { log } = await ask({ steps: [...FIRST_CHUNKS, delta({}, 'stop'), { type: 'reset', delayMs: 10 }] });
    expect(log.types()).toEqual(['text', 'done']);
  });

  it('accepts the variants of compatible servers: calls with one index, `stop` for calls, no ids, no usage', async () => {
    const { log } = await ask({
      steps: [
        delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'weather', arguments: '{"city":"Rome"}' } }] }),
        delta({ tool_calls: [{ index: 0, id: 'b', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }] }),
        delta({ tool_calls: [{ index: 1, function: { name: 'find_table' } }] }, 'stop'),
        DONE,
      ],
    });
    expect(log.events).toEqual([
      { type: 'tool_call', call: { id: 'a', name: 'weather', arguments: '{"city":"Rome"}' } },
      { type: 'tool_call', call: { id: 'b', name: 'weather', arguments: '{"city":"Oslo"}' } },
      { type: 'tool_call', call: { id: expect.stringMatching(/^call_.{36}$/), name: 'find_table', arguments: '{}' } },
      { type: 'done', finish: 'tool_calls' },
    ]);
  });

  it('a response without a finish reason is complete at [DONE]', async () => {
    const call = { index: 0, id: 'a', function: { name: 'weather', arguments: '{}' } };
    const { log } = await ask({
      steps: [...FIRST_CHUNKS, delta({ tool_calls: [call] }), delta({ content: ' <' }), DONE],
    });
    expect(log.types()).toEqual(['text', 'text', 'tool_call', 'done']);
    expect(log.events.at(-1)).toEqual({ type: 'done', finish: 'tool_calls' });
  });

  it('[DONE] without a response fails as closed', async () => {
    const { log } = await ask({ steps: [delta({ role: 'assistant', content: '' }), DONE] });
    expect(log.events).toMatchObject([{ type: 'failed', error: { code: 'closed' } }]);
  });

  it.each([{}, { prompt_tokens: 11, total_tokens: 11 }, { prompt_tokens: null, completion_tokens: null }])(
    'accepts a response with partial usage: %j',
    async (usage) => {
      const choices = [{ index: 0, delta: { content: 'Yes.' }, finish_reason: null }];
      const { log } = await ask({
        steps: [{ type: 'chunk', json: { choices, usage } }, delta({}, 'stop'), usageChunk(10, 1), DONE],
      });
      expect(log.events).toEqual([
        { type: 'text', text: 'Yes.' },
        { type: 'done', finish: 'stop', usage: { inputTokens: 10, outputTokens: 1 } },
      ]);
    },
  );

  it.each([
    ['<think>They greet me.</think>\n\nHello.', 'Hello.'],
    ['\n<think>\n\n</think>\n\nHello.', 'Hello.'],
    ['<think>If a < b, then </thin is no end', ''],
    ['<thin ice> is said', '<thin ice> is said'],
    [' <th', ' <th'],
    ['Say <think> aloud.', 'Say <think> aloud.'],
  ])('omits thoughts before the response, for any chunk size: %j', async (content, spoken) => {
    for (const size of [1, 5, content.length]) {
      const chunks = content.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const { log, emulator, model } = await ask({
        steps: [...chunks.map((chunk) => delta({ content: chunk })), delta({}, 'stop'), DONE],
      });
      const texts = log.events.flatMap((event) => (event.type === 'text' ? event.text : []));
      expect(texts.join('').trim()).toBe(spoken.trim());
      expect(log.events.at(-1)).toEqual({ type: 'done', finish: 'stop' });
      await model.close();
      await emulator.close();
    }
  });

  it('a request that cannot be sent fails on a later turn of the event loop, and not after a cancel', async () => {
    model = createChatCompletions({ apiKey: 'sk-a\r\nX-Evil: 1', baseUrl: 'http://127.0.0.1:9' }, WIDE_DEADLINES);
    const log = new EventLog<ModelEvent>();
    const cancelled = new EventLog<ModelEvent>();
    model.generate(CONTRACT_MODEL_REQUEST, log.emit);
    const generation = model.generate(CONTRACT_MODEL_REQUEST, cancelled.emit);
    for (let microtask = 0; microtask < 500; microtask++) await null;
    expect(log.events).toEqual([]);
    generation.cancel();
    await log.until('failed');
    await settle();
    expect(log.events).toMatchObject([{ type: 'failed', error: { code: 'bad_request', retryable: false } }]);
    expect(cancelled.events).toEqual([]);
  });

  it.each([
    ['of one event', `data: ${'x'.repeat(12 * 1024 * 1024)}`],
    ['of one event with many lines', `data: ${'x'.repeat(7_000)}\n`.repeat(2_000)],
    ['of comments', `: ${'waiting'.repeat(1_000)}\n\n`.repeat(2_000)],
  ] as const)('cuts off a response without an end: %s', async (_name, text) => {
    const { log, emulator } = await ask({ steps: [{ type: 'raw', text }, { type: 'stall' }] });
    expect(log.events).toMatchObject([{ type: 'failed', error: { code: 'closed' } }]);
    await waitFor(() => expect(emulator.activeRequests).toBe(0));
  });

  it('never emits a call truncated by the length', async () => {
    const { log } = await ask({
      steps: [
        delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'weather', arguments: '{"ci' } }] }),
        delta({}, 'length'),
        usageChunk(1, 1),
        DONE,
      ],
    });
    expect(log.events).toEqual([{ type: 'done', finish: 'length', usage: { inputTokens: 1, outputTokens: 1 } }]);
  });

  it.each([
    ['a chunk of another shape', [{ type: 'chunk', json: { choices: [{ delta: { content: 7 } }] } }]],
    ['JSON that is not an object', [{ type: 'raw', text: 'data: 7\n\n' }]],
    ['a fragment of a call without its start', [delta({ tool_calls: [{ index: 3, function: { arguments: '{' } }] })]],
    [
      'arguments above their bound',
      [delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: 'x'.repeat(300_000) } }] })],
    ],
  ] as const)('reports a malformed message: %s', async (_name, steps) => {
    const { log } = await ask({ steps: [...steps, delta({ content: 'never' }, 'stop'), DONE] });
    expect(log.events).toMatchObject([{ type: 'failed', error: { code: 'malformed' } }]);
  });

  it.each([
    [
      errorAnswer(400, { code: 'model_not_found' }),
      { code: 'bad_request', retryable: false, message: 'HTTP status 400 (model_not_found)' },
    ],
    [errorAnswer(403), { code: 'unauthorized', retryable: false }],
    [errorAnswer(429, { code: 'insufficient_quota' }), { code: 'rate_limited', retryable: false }],
    [errorAnswer(503, {}, { 'retry-after-ms': '1500' }), { code: 'unavailable', retryAfterMs: 1_500 }],
    [{ steps: [{ type: 'chunk', json: { error: { message: 'x', type: 'server_error' } } }] }, { code: 'unavailable' }],
    [{ steps: [{ type: 'chunk', json: { error: { message: 'x', code: 429 } } }] }, { code: 'rate_limited' }],
    [
      { steps: [{ type: 'chunk', json: { object: 'error', message: 'x', type: 'BadRequestError', code: 400 } }, DONE] },
      { code: 'bad_request', retryable: false },
    ],
    [
      { steps: [{ type: 'chunk', json: { object: 'error', message: 'x', type: 'InternalServerError', code: 500 } }] },
      { code: 'unavailable', retryable: true },
    ],
    [
      { status: 200, headers: { 'content-type': 'text/html' }, steps: [{ type: 'raw', text: '<html>' }] },
      { code: 'malformed', message: 'the response is not an event stream: check the base URL' },
    ],
  ] as const)('reports the reason of a refusal: %#', async (answer, error) => {
    const { log } = await ask(answer);
    expect(log.events).toMatchObject([{ type: 'failed', error }]);
  });
});
