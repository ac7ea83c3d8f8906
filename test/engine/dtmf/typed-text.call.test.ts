import { describe, expect, it } from 'vitest';
import { MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const INITIAL = 'One two three four five six seven eight.';
const TYPED = 'A table for two.';

/** The user types while the agent says its initial message, or after it. */
function typedAt(seconds: number, agent: Scenario['agent'] = {}): Simulation {
  return new Simulation({ agent: { initial_message: INITIAL, ...agent } })
    .at(seconds, ({ media }) => media.emit({ type: 'typed_text', text: TYPED }))
    .runUntil(20);
}

const userMessages = (call: Simulation) =>
  call.modelRequests.map(({ messages }) =>
    messages.filter(({ role }) => role === 'user').map(({ content }) => content),
  );

describe('a typed text', () => {
  it('is answered at once, as words of the user', () => {
    const call = typedAt(10);
    expect(userMessages(call)).toEqual([[TYPED]]);
    expect(call.heard[1]?.fromMs).toBe(10_000 + MODEL_MS + VOICE_MS);
    const entry = call.transcript.find(({ role }) => role === 'user');
    expect(entry).toMatchObject({ content: TYPED, startUs: 10_000_000, endUs: 10_000_000 });
    expectReplay(call);
  });

  it('interrupts the agent', () => {
    const call = typedAt(1);
    expect(call.heard[0]?.toMs).toBe(1_000);
    expect(call.heard[1]?.fromMs).toBe(1_000 + MODEL_MS + VOICE_MS);
  });

  it('waits for the end of a reply that may not be interrupted', () => {
    const call = typedAt(1, { interruptions: false });
    expect(call.heardTexts).toEqual([INITIAL, 'Yes.']);
    expect(userMessages(call)).toEqual([[TYPED]]);
  });

  it('follows the digits before it, which it closes', () => {
    const call = new Simulation({ agent: { initial_message: '' } })
      .userPresses(1, '12')
      .at(2, ({ media }) => media.emit({ type: 'typed_text', text: TYPED }))
      .runUntil(20);
    expect(userMessages(call)).toEqual([[`[pressed the keys 12] ${TYPED}`]]);
  });

  it('forms one turn with words that the user speaks at that time', () => {
    const call = new Simulation({ agent: { initial_message: '' } })
      .userSpeaks(1, 3, 'For tomorrow at eight.')
      .interimAt(2, 1, 'For tomorrow')
      .at(2.5, ({ media }) => media.emit({ type: 'typed_text', text: TYPED }))
      .runUntil(20);
    expect(userMessages(call)).toEqual([[`For tomorrow at eight. ${TYPED}`]]);
  });
});
