import { afterEach, describe, expect, it } from 'vitest';
import { createMessages } from '../../../adapters/anthropic/messages.ts';
import { createChatCompletions } from '../../../adapters/openai/chat-completions.ts';
import type { StreamedLanguageModel } from '../../../adapters/streamed-model/streamed-language-model.ts';
import type { ModelEvent } from '../../../engine/ports/language-model.ts';
import { startAnthropicEmulator } from '../../providers/anthropic/messages-emulator.ts';
import { messageStart, PING } from '../../providers/anthropic/messages-script.ts';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../providers/openai/chat-emulator.ts';
import { delta, errorAnswer, textAnswer } from '../../providers/openai/chat-script.ts';
import type { StreamAnswer } from '../../providers/stream/stream-script.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import { CONTRACT_MODEL_REQUEST } from '../contract/language-model.ts';
import { WIDE_DEADLINES } from '../contract/streamed-model.ts';

describe('a streamed language model', () => {
  let emulator: OpenAiEmulator;
  let model: StreamedLanguageModel;

  afterEach(async () => {
    await model.close();
    await emulator.close();
  });

  async function start(answer: (nth: number) => StreamAnswer): Promise<void> {
    emulator = await startOpenAiEmulator((_body, nth) => answer(nth));
    model = createChatCompletions(emulator, WIDE_DEADLINES);
  }

  async function ask(): Promise<ModelEvent | undefined> {
    const log = new EventLog<ModelEvent>();
    log.call(() => model.generate(CONTRACT_MODEL_REQUEST, log.emit));
    await waitFor(() => expect(['done', 'failed']).toContain(log.events.at(-1)?.type));
    return log.events.at(-1);
  }

  it('after five consecutive failures the next request fails at once, with the last reason and the time until the probe', async () => {
    await start(() => errorAnswer(500));
    for (let failure = 0; failure < 5; failure++) {
      expect(await ask()).toMatchObject({ error: { code: 'unavailable', retryable: true } });
    }
    expect(await ask()).toEqual({
      type: 'failed',
      error: {
        provider: 'openai',
        code: 'unavailable',
        httpStatus: 500,
        message: expect.stringMatching(/^failed several times in a row: HTTP status 500/),
        retryable: true,
        retryAfterMs: expect.any(Number),
      },
    });
    expect(emulator.requests).toHaveLength(5);
    const cancelled = new EventLog<ModelEvent>();
    cancelled.call(() => model.generate(CONTRACT_MODEL_REQUEST, cancelled.emit)).cancel();
    await settle();
    expect(cancelled.events).toEqual([]);
  });

  it('refused requests do not open the circuit', async () => {
    await start((nth) => (nth < 8 ? errorAnswer(400) : textAnswer('Yes.')));
    for (let refusal = 0; refusal < 8; refusal++) expect(await ask()).toMatchObject({ error: { code: 'bad_request' } });
    expect(await ask()).toMatchObject({ type: 'done' });
  });

  it('connects once in advance, without the key, and the first request uses that connection', async () => {
    await start(() => textAnswer('Yes.'));
    model.warm();
    model.warm();
    await waitFor(() => expect([emulator.connections, emulator.answeredRequests]).toEqual([1, 1]));
    await settle();
    await ask();
    model.warm();
    await settle();
    expect(emulator.connections).toBe(1);
  });

  it('a cancelled response closes its connection, and another is opened before the next request', async () => {
    await start((nth) => (nth === 0 ? { steps: [delta({ content: 'A' }), { type: 'stall' }] } : textAnswer('Yes.')));
    const log = new EventLog<ModelEvent>();
    const generation = model.generate(CONTRACT_MODEL_REQUEST, log.emit);
    await log.until('text');
    generation.cancel();
    await waitFor(() => expect([emulator.connections, emulator.answeredRequests]).toEqual([2, 1]));
    await settle();
    await ask();
    expect(emulator.connections).toBe(2);
  });

  it('a request cancelled while it waits for its connection is never sent', async () => {
    await start(() => textAnswer('never'));
    model.generate(CONTRACT_MODEL_REQUEST, () => expect.unreachable()).cancel();
    await settle();
    await waitFor(() => expect(emulator.activeRequests).toBe(0));
    expect(emulator.requests).toHaveLength(0);
  });

  it('cuts off and reports a refusal whose body does not end', async () => {
    await start(() => ({ status: 500, steps: [{ type: 'raw', text: 'x'.repeat(20_000) }, { type: 'stall' }] }));
    expect(await ask()).toMatchObject({ error: { code: 'unavailable', httpStatus: 500 } });
    await waitFor(() => expect(emulator.activeRequests).toBe(0));
  });

  it('a response whose stream continues after its end releases the connection', async () => {
    const done = { type: 'raw', text: 'data: [DONE]\n\n' } as const;
    await start(() => ({ steps: [delta({ content: 'Yes.' }, 'stop'), done, { type: 'stall' }] }));
    expect(await ask()).toMatchObject({ type: 'done' });
    await waitFor(() => expect(emulator.activeRequests).toBe(0));
  });
});

it('pings do not count as progress: a model that sends only pings has stalled', async () => {
  const pings = Array.from({ length: 40 }, () => ({ ...PING, delayMs: 20 }));
  const emulator = await startAnthropicEmulator(() => ({ steps: [messageStart(10), ...pings, { type: 'stall' }] }));
  const model = createMessages(emulator, { firstByteMs: 10_000, stallMs: 200, usageMs: 100 });
  const log = new EventLog<ModelEvent>();
  model.generate(CONTRACT_MODEL_REQUEST, log.emit);
  await log.until('failed');
  expect(log.events).toMatchObject([{ type: 'failed', error: { code: 'timeout' } }]);
  await waitFor(() => expect(emulator.activeRequests).toBe(0));
  await model.close();
  await emulator.close();
});
