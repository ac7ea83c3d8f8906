import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

/** The user goes on before the answer is heard. */
const callWithTwoParts = (second = 'For four people.', finalAfter = 0.2) =>
  new Simulation({ agent: {}, model: [{ after: 2, text: 'Never heard.' }, { text: 'Gladly.' }] })
    .userSpeaks(0.5, 1.5, 'I want a table.')
    .userSpeaks(2.2, 3, second, { finalAfter });

const userEntry = (call: Simulation) => call.transcript.find(({ role }) => role === 'user');

describe('the entry of a user turn', () => {
  it('has the times of its parts', () => {
    const call = callWithTwoParts().runUntil(20);
    expect(userEntry(call)).toMatchObject({
      content: 'I want a table. For four people.',
      startUs: 500_000,
      endUs: 3_000_000,
      parts: [
        { content: 'I want a table.', startUs: 500_000, endUs: 1_500_000 },
        { content: 'For four people.', startUs: 2_200_000, endUs: 3_000_000 },
      ],
    });
    expectReplay(call);
  });

  it('has the part whose words come after the answer has begun', () => {
    const call = callWithTwoParts('Please.', 3).runUntil(20);
    expect(userEntry(call)).toMatchObject({
      parts: [{ startUs: 500_000 }, { content: 'Please.', startUs: 2_200_000 }],
    });
  });

  it('has no parts without a pause', () => {
    const call = new Simulation({ agent: {} }).userSpeaks(0.5, 1.5, 'I want a table.').runUntil(5);
    expect(userEntry(call)).not.toHaveProperty('parts');
  });
});
