import { expect, it } from 'vitest';
import type { ModelRequest } from '../../../../engine/ports/language-model.ts';
import { GenerationStreams } from '../../../../engine/session/streams/generation-streams.ts';

const REQUEST: ModelRequest = { provider: 'test', model: 'model', messages: [], functions: [] };

it('at the call’s end every generation that runs is cancelled, also where one cannot be', () => {
  let cancelled = 0;
  const told: unknown[] = [];
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
  const lane = new GenerationStreams(model, 'en', (event) => told.push(event));
  lane.request(1, REQUEST);
  lane.extract(1, REQUEST);
  lane.summarise(1, REQUEST);
  expect(() => lane.close()).not.toThrow();
  expect(cancelled).toBe(3);
  for (const emit of emits) emit();
  expect(told).toEqual([]);
});
