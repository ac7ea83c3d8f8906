import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { agentOf, Simulation } from '../simulation/simulate.ts';

/** What a thousand calls may leave behind, bytes: less than a kilobyte a call, where one that is kept is hundreds. */
const LEFT_BEHIND_MAX = 1_000_000;

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
    { text: 'Let me see.', calls: [{ name: 'lookup' }] },
    { text: 'There is a table at ten, and there is one at eleven, and another one at noon.' },
    { fails: { retryable: true } },
    { text: 'Which one is it?' },
    { calls: [{ name: 'go_to_end' }] },
    { calls: [{ name: 'bye' }] },
  ],
  extraction: [{ day: 'Monday' }, { day: 'Tuesday' }],
};
const compiled = compileAgent(agentOf(scenario.agent));

function wholeCall(): Simulation {
  return new Simulation(scenario, compiled)
    .callerSpeaks(2, 3, 'A table for Monday.')
    .callerSpeaks(5, 7, 'No, wait, on Tuesday.')
    .callerSpeaks(12, 13, 'At ten.')
    .hangUp(60)
    .run(90);
}

function heapAfterCollection(collect: () => void): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it('a thousand calls one after another leave nothing behind', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // The first calls compile code and fill caches; for some hundred the heap still grows by that.
  for (let call = 0; call < 300; call++) wholeCall();
  const heapBefore = heapAfterCollection(collect);
  const handlesBefore = process.getActiveResourcesInfo();
  for (let call = 0; call < 1_000; call++) {
    const { endedWith, clock } = wholeCall();
    expect(endedWith).not.toBeNull();
    expect(clock.pending).toBe(0);
  }
  expect(heapAfterCollection(collect) - heapBefore).toBeLessThan(LEFT_BEHIND_MAX);
  expect(process.getActiveResourcesInfo()).toEqual(handlesBefore);
}, 60_000);
