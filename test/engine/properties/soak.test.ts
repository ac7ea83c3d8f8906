import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { Simulation } from '../simulation/simulation.ts';

/** Heap growth that a thousand calls may cause: 1 kB a call. A leaked call takes hundreds of kB. */
const HEAP_GROWTH_BYTES_MAX = 1_000_000;

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com/' };
const scenario = {
  agent: {
    initial_message: 'Hello, what can I do for you?',
    presence_check_phrases: ['Are you still there?'],
    variables: [{ name: 'day' }],
    states: [
      { name: 'start', tools: [LOOKUP], transitions: [{ condition: 'They agree.', destination_state_name: 'end' }] },
      { name: 'end', tools: [{ type: 'hang_up' as const, name: 'bye', filler_sentence: 'Goodbye.' }] },
    ],
    initial_state_name: 'start',
  },
  model: [
    { text: 'Let me see.', toolCalls: [{ name: 'lookup' }] },
    { text: 'There is a table at ten, and there is one at eleven, and another one at noon.' },
    { failsWith: { retryable: true } },
    { text: 'Which one is it?' },
    { toolCalls: [{ name: 'go_to_end' }] },
    { toolCalls: [{ name: 'bye' }] },
  ],
  extractions: [{ day: 'Monday' }, { day: 'Tuesday' }],
};
const compiled = compileAgent(agentWith(scenario.agent));

function runWholeCall(): Simulation {
  return new Simulation(scenario, compiled)
    .userSpeaks(2, 3, 'A table for Monday.')
    .userSpeaks(5, 7, 'No, wait, on Tuesday.')
    .userSpeaks(12, 13, 'At ten.')
    .hangUpAt(60)
    .runUntil(90);
}

function heapAfterCollection(collect: () => void): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it('a thousand consecutive calls leak no memory and no handle', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // The first few hundred calls compile code and fill caches, so the heap still grows.
  for (let call = 0; call < 300; call++) runWholeCall();
  const heapBefore = heapAfterCollection(collect);
  const handlesBefore = process.getActiveResourcesInfo();
  for (let call = 0; call < 1_000; call++) {
    const { endReason, clock } = runWholeCall();
    expect(endReason).not.toBeNull();
    expect(clock.pending).toBe(0);
  }
  expect(heapAfterCollection(collect) - heapBefore).toBeLessThan(HEAP_GROWTH_BYTES_MAX);
  expect(process.getActiveResourcesInfo()).toEqual(handlesBefore);
});
