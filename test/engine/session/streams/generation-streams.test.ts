import { expect, it } from 'vitest';
import type { ModelRequest } from '../../../../engine/ports/language-model.ts';
import { GenerationStreams } from '../../../../engine/session/streams/generation-streams.ts';

const REQUEST: ModelRequest = { provider: 'test', model: 'model', messages: [], functions: [] };

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
