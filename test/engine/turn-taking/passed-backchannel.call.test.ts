import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const LONG_ANSWER =
  'This is a very long answer that goes on and on for a long time so that the user can say things in it.';
const BACKCHANNEL_END_MS = 2_800;
/** A backchannel that ends this shortly before the end of the reply is an answer. */
const LATE_ANSWER_MS = 1_500;

/** The answer is heard from 2.0 s on; the user says «Mhm.» over it, and these words at that time. */
function callWithBackchannel(atMs: number, text: string, agent = {}): Simulation {
  return new Simulation({ agent, model: [{ text: LONG_ANSWER }, { text: 'I see.' }] })
    .userSpeaks(0.5, 1.5, 'When does my parcel come?')
    .userSpeaks(2.5, BACKCHANNEL_END_MS / 1000, 'Mhm.')
    .userSpeaks(atMs / 1000, atMs / 1000 + 1.2, text)
    .runUntil(20);
}

const userEntries = (call: Simulation) =>
  call.transcript.filter(({ role }) => role === 'user').map(({ content, startUs }) => [content, startUs / 1000]);

describe('a user who speaks again over the same answer', () => {
  const SPEAKS_MS = BACKCHANNEL_END_MS + LATE_ANSWER_MS + 1;
  const WORDS = 'Wait, I need it sooner.';

  it('has another entry and turn behind a backchannel that was no answer', () => {
    const call = callWithBackchannel(SPEAKS_MS, WORDS);
    expect(userEntries(call)).toEqual([
      ['When does my parcel come?', 500],
      ['Mhm.', 2_500],
      [WORDS, SPEAKS_MS],
    ]);
    expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toBe(WORDS);
    expect(call.heardTexts.at(-1)).toBe('I see.');
    expectReplay(call);
  });

  it('has one turn with a backchannel right before', () => {
    expect(userEntries(callWithBackchannel(SPEAKS_MS - 1, WORDS)).at(-1)).toEqual([`Mhm. ${WORDS}`, 2_500]);
  });

  it('has two entries and no turn for two backchannels', () => {
    const call = callWithBackchannel(SPEAKS_MS, 'Okay.');
    expect(userEntries(call).map(([content]) => content)).toEqual(['When does my parcel come?', 'Mhm.', 'Okay.']);
    expect(call.modelRequests).toHaveLength(1);
  });

  it('has one turn for two questions during an answer that cannot be interrupted', () => {
    const call = new Simulation({ agent: { interruptions: false }, model: [{ text: LONG_ANSWER }, { text: 'I see.' }] })
      .userSpeaks(0.5, 1.5, 'When does my parcel come?')
      .userSpeaks(2.5, 3, 'Is it near?')
      .userSpeaks(5, 5.8, 'And who brings it?')
      .runUntil(20);
    expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toBe('Is it near? And who brings it?');
  });
});
