import { expect, it } from 'vitest';
import { type CallAdapters, decorateCall } from '../../../adapters/decorators/pipeline/decorator-pipeline.ts';
import { CallUsage } from '../../../adapters/decorators/usage/call-usage.ts';
import type { ModelEvent } from '../../../engine/ports/language-model.ts';
import type { VoiceEvent } from '../../../engine/ports/voice.ts';
import { usageResponse } from '../../../src/calls/usage/usage-response.ts';

/** Adapters whose model ends each generation with `done`. The other two accept everything and emit nothing. */
function providersReporting(done: ModelEvent): CallAdapters {
  const stream = { write() {}, finalize() {}, close() {}, speak() {}, cancel() {} };
  return {
    transcriber: { traitsOf: () => ({ detectsTurns: false, finalP99Ms: 1 }), open: () => stream },
    model: {
      generate: (_request, emit) => {
        emit(done);
        return { cancel() {} };
      },
    },
    voice: { open: () => stream },
  };
}

it('counts the usage of a call by kind, provider and model, also of fallbacks', () => {
  const usage = new CallUsage();
  const counted = decorateCall(
    providersReporting({
      type: 'done',
      finish: 'stop',
      usage: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 60 },
    }),
    { usage },
  );
  const format = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
  const transcriberOptions = { provider: 'deepgram', language: 'en', vocabulary: [], format };
  for (const model of ['nova-3', 'nova-2', 'nova-3']) {
    counted.transcriber.open({ ...transcriberOptions, model }, () => undefined).write(Buffer.alloc(8_000));
  }
  const request = { provider: 'openai', model: 'm', messages: [], functions: [] };
  counted.model.generate(request, () => undefined);
  counted.model.generate(request, () => undefined);
  const voice = { provider: 'cartesia', name: 'someone', language: 'en', speed: 1, format };
  const stream = counted.voice.open(voice, () => undefined);
  stream.speak(0, 'Hello.');
  stream.speak(1, 'Yes.');
  expect(usage.entries.map(usageResponse)).toEqual([
    { kind: 'transcriber', provider: 'deepgram', model: 'nova-3', audio_seconds: 2 },
    { kind: 'transcriber', provider: 'deepgram', model: 'nova-2', audio_seconds: 1 },
    {
      kind: 'llm',
      provider: 'openai',
      model: 'm',
      input_tokens: 200,
      cached_input_tokens: 120,
      output_tokens: 20,
    },
    { kind: 'voice', provider: 'cartesia', model: 'someone', characters: 10 },
  ]);
});

it('a model without usage and a failed generation count nothing', () => {
  for (const event of [
    { type: 'done', finish: 'stop' },
    { type: 'failed', error: { provider: 'p', code: 'timeout', message: 'm', retryable: true } },
  ] as const) {
    const usage = new CallUsage();
    const request = { provider: 'openai', model: 'm', messages: [], functions: [] };
    decorateCall(providersReporting(event), { usage }).model.generate(request, () => undefined);
    expect(usage.entries).toEqual([]);
  }
});

it('a voice that fails before any audio of a text counts nothing for it', () => {
  const usage = new CallUsage();
  const format = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
  const error = { provider: 'p', code: 'rate_limited', message: 'm', retryable: true } as const;
  const emits: ((event: VoiceEvent) => void)[] = [];
  const events: VoiceEvent[] = [];
  const providers = providersReporting({ type: 'done', finish: 'stop' });
  const withEmits: CallAdapters = {
    ...providers,
    voice: {
      open: (options, emit) => {
        emits.push(emit);
        return providers.voice.open(options, emit);
      },
    },
  };
  const counted = decorateCall(withEmits, { usage });
  const voice = { provider: 'cartesia', name: 'someone', language: 'en', speed: 1, format };
  const stream = counted.voice.open(voice, (event) => events.push(event));
  stream.speak(0, 'Hello.');
  stream.speak(1, 'Whole.');
  emits[0]?.({ type: 'audio', segment: 0, format, audio: Buffer.alloc(160) });
  emits[0]?.({ type: 'failed', segment: 0, error });
  emits[0]?.({ type: 'failed', segment: 1, error });
  expect(events.map(({ type }) => type)).toEqual(['audio', 'failed', 'failed']);
  expect(usage.entries.map(usageResponse)).toEqual([
    { kind: 'voice', provider: 'cartesia', model: 'someone', characters: 6 },
  ]);
});
