import { expect, it } from 'vitest';
import type { CallEvent } from '../../../../engine/core/event.ts';
import type { ModelEvent, ModelRequest } from '../../../../engine/ports/language-model.ts';
import { GenerationStreams, RESPONSE_CHARACTERS_MAX } from '../../../../engine/session/streams/generation-streams.ts';

const REQUEST: ModelRequest = { provider: 'test', model: 'model', messages: [], functions: [] };
const DONE: ModelEvent = { type: 'done', finish: 'stop' };

it('closing cancels every running generation, even if a cancellation throws', () => {
  let cancelled = 0;
  const postedEvents: unknown[] = [];
  const emits: (() => void)[] = [];
  const model = {
    generate: (_request: ModelRequest, emit: (event: { type: 'text'; text: string }) => void) => {
      emits.push(() => emit({ type: 'text', text: 'Late. ' }));
      return {
        cancel: () => {
          cancelled++;
          throw new Error('injected');
        },
      };
    },
  };
  const streams = new GenerationStreams(model, 'en', (event) => postedEvents.push(event));
  streams.request(1, REQUEST);
  streams.extract(1, REQUEST);
  streams.summarise(1, REQUEST);
  expect(() => streams.close()).not.toThrow();
  expect(cancelled).toBe(3);
  for (const emit of emits) emit();
  expect(postedEvents).toEqual([]);
});

/** The events of one extraction whose model emits `emitted`. */
function extractionOf(...emitted: readonly ModelEvent[]): readonly CallEvent[] {
  const posted: CallEvent[] = [];
  const model = {
    generate: (_request: ModelRequest, emit: (event: ModelEvent) => void) => {
      for (const event of emitted) emit(event);
      return { cancel: () => undefined };
    },
  };
  new GenerationStreams(model, 'en', (event) => posted.push(event)).extract(1, REQUEST);
  return posted;
}

it('an extraction fails with the length of a response that is too long', () => {
  const half = 'x'.repeat(RESPONSE_CHARACTERS_MAX / 2);
  const text = JSON.stringify({ note: half + half });
  const pieces = [text.slice(0, half.length), text.slice(half.length)];
  const events = extractionOf(...pieces.map((piece) => ({ type: 'text', text: piece }) as const), DONE);
  expect(events).toMatchObject([
    { type: 'extraction.failed', error: { code: 'malformed', message: expect.stringContaining(`${text.length}`) } },
  ]);
});

it('an extraction has the value of a response in pieces', () => {
  expect(extractionOf({ type: 'text', text: '{"a"' }, { type: 'text', text: ':1}' }, DONE)).toEqual([
    { type: 'extraction.done', extraction: 1, answer: { a: 1 } },
  ]);
});

it('an extraction fails for a response that is not JSON', () => {
  expect(extractionOf({ type: 'text', text: 'Sure!' }, DONE)).toMatchObject([
    { type: 'extraction.failed', error: { code: 'malformed', message: expect.stringContaining('not JSON') } },
  ]);
});

it('reports an exception of the model adapter as unavailable, not as a violation of the protocol by the provider', () => {
  const posted: CallEvent[] = [];
  const model = {
    generate: () => {
      throw new Error('injected');
    },
  };
  new GenerationStreams(model, 'en', (event) => posted.push(event)).request(1, REQUEST);
  expect(posted).toMatchObject([
    {
      type: 'model.failed',
      error: { code: 'unavailable', message: expect.stringContaining('injected'), retryable: false },
    },
  ]);
});
