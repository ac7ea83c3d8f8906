import { describe, expect, it } from 'vitest';
import { createTapeLanguageModel } from '../../../adapters/tape-replay/language-model.ts';
import type { ModelEvent, ModelRequest } from '../../../engine/ports/language-model.ts';
import type { RecordedGeneration } from '../../../engine/tape/re-simulation/recorded-responses.ts';
import type { RequestDifference } from '../../../engine/tape/re-simulation/request-difference.ts';
import { CONTRACT_MODEL_REQUEST, CONTRACT_TOOL_CALLS, languageModelContract } from '../contract/language-model.ts';
import { ManualTime, realAfter } from './manual-time.ts';

const DONE: ModelEvent = { type: 'done', finish: 'stop', usage: { inputTokens: 10, outputTokens: 4 } };
const TEXT: RecordedGeneration = {
  request: CONTRACT_MODEL_REQUEST,
  events: [
    { delayMs: 5, event: { type: 'text', text: 'A table for two.' } },
    { delayMs: 8, event: DONE },
  ],
};
const TOOLS: RecordedGeneration = {
  request: CONTRACT_MODEL_REQUEST,
  events: [
    { delayMs: 1, event: { type: 'text', text: 'Let me look.' } },
    ...CONTRACT_TOOL_CALLS.map((call) => ({ delayMs: 3, event: { type: 'tool_call', call } as const })),
    { delayMs: 3, event: { type: 'done', finish: 'tool_calls' } },
  ],
};

languageModelContract(
  'tape',
  async (scenario) => {
    const answer = scenario === 'tools' ? TOOLS : TEXT;
    return {
      model: createTapeLanguageModel({ models: [answer, answer], extractions: [] }, realAfter, (difference) => {
        throw new Error(`unexpected difference at ${difference.path}`);
      }),
      secret: 'none',
      requestCount: () => 0,
      activeRequests: () => 0,
      openSockets: () => 0,
      close: async () => undefined,
    };
  },
  [],
);

describe('tape language model', () => {
  const EXTRACTION_REQUEST: ModelRequest = {
    ...CONTRACT_MODEL_REQUEST,
    functions: [],
    answerSchema: { name: 'variables', schema: { type: 'object' } },
  };
  const EXTRACTION: RecordedGeneration = {
    request: EXTRACTION_REQUEST,
    events: [
      { delayMs: 50, event: { type: 'text', text: '{}' } },
      { delayMs: 50, event: DONE },
    ],
  };

  function model() {
    const time = new ManualTime();
    const differences: RequestDifference[] = [];
    const tape = createTapeLanguageModel(
      { models: [TEXT, TOOLS], extractions: [EXTRACTION] },
      time.after,
      (difference) => differences.push(difference),
    );
    const ask = (request: ModelRequest) => {
      const events: { atMs: number; type: string }[] = [];
      const generation = tape.generate(request, (event) => events.push({ atMs: time.nowMs, type: event.type }));
      return { events, generation };
    };
    return { time, differences, ask };
  }

  it('plays answers with the recorded delays, by kind and order', () => {
    const { time, differences, ask } = model();
    const extraction = ask(EXTRACTION_REQUEST);
    const reply = ask(CONTRACT_MODEL_REQUEST);
    expect(reply.events).toEqual([]);
    time.advance(1_000);
    expect(reply.events).toEqual([
      { atMs: 5, type: 'text' },
      { atMs: 8, type: 'done' },
    ]);
    expect(extraction.events).toEqual([
      { atMs: 50, type: 'text' },
      { atMs: 50, type: 'done' },
    ]);
    const second = ask(CONTRACT_MODEL_REQUEST);
    time.advance(1_000);
    expect(second.events.map((event) => event.type)).toEqual(['text', 'tool_call', 'tool_call', 'done']);
    expect(differences).toEqual([]);
  });

  it('reports a different request, with the place of the difference, and still answers it', () => {
    const { time, differences, ask } = model();
    const messages = CONTRACT_MODEL_REQUEST.messages.map((message, n) =>
      n === 1 ? { ...message, content: 'No.' } : message,
    );
    const { events } = ask({ ...CONTRACT_MODEL_REQUEST, messages });
    time.advance(1_000);
    expect(differences).toEqual([
      { kind: 'reply', index: 0, path: 'messages.1.content', recorded: 'A table, please.', actual: 'No.' },
    ]);
    expect(events).toHaveLength(2);
  });

  it('an extra key and a missing message are differences; an undefined key is not', () => {
    const { differences, ask } = model();
    ask({ ...CONTRACT_MODEL_REQUEST, temperature: 1 });
    ask({ ...CONTRACT_MODEL_REQUEST, messages: CONTRACT_MODEL_REQUEST.messages.slice(0, 1) });
    expect(differences.map(({ index, path }) => ({ index, path }))).toEqual([
      { index: 0, path: 'temperature' },
      { index: 1, path: 'messages.1' },
    ]);
  });

  it('a request after the end of the tape fails once and is reported', () => {
    const { time, differences, ask } = model();
    ask(EXTRACTION_REQUEST);
    const { events } = ask(EXTRACTION_REQUEST);
    expect(events).toEqual([]);
    time.advance(1_000);
    expect(events).toEqual([{ atMs: 0, type: 'failed' }]);
    expect(differences).toMatchObject([{ kind: 'extraction', index: 1, path: 'end' }]);
  });

  it('a cancelled generation leaves no timer', () => {
    const { time, ask } = model();
    const { events, generation } = ask(CONTRACT_MODEL_REQUEST);
    time.advance(5);
    generation.cancel();
    expect(time.pending).toBe(0);
    expect(events).toHaveLength(1);
  });
});
