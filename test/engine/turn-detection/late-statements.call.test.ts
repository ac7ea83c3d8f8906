import { describe, expect, it } from 'vitest';
import { RESPONSE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const LONG_ANSWER = 'This is a longer answer that goes on and on for some time.';
/** The agent's answer is heard from 2.0 to 4.9 s. */
const ANSWER_END_MS = 4_900;
const BACKCHANNEL = { startMs: 2_600, endMs: 3_090 };

/** The user says something over the answer. Its interim is «Okay»; its final has this text. */
function callWithLateFinal(final: string, finalAtMs: number, interim = 'Okay'): Simulation {
  const { startMs, endMs } = BACKCHANNEL;
  return new Simulation({ agent: {}, model: [{ text: LONG_ANSWER }, { text: 'At nine.' }] })
    .userSpeaks(0.5, 1.5, 'Tell me about it.')
    .at(startMs / 1000, (call) => call.media.emit({ type: 'speech_started', audioMs: startMs }))
    .at(2.9, (call) => call.emitTranscriberEvent({ type: 'interim', text: interim, startMs, endMs: 2_800 }))
    .at(endMs / 1000, (call) => call.media.emit({ type: 'speech_stopped', audioMs: endMs }))
    .at(finalAtMs / 1000, (call) => call.emitFinal(startMs / 1000, endMs / 1000, final));
}

const lastUserTexts = (call: Simulation) => call.modelRequests.map(({ messages }) => messages.at(-1)?.content);

describe('a backchannel whose late final is more than a backchannel', () => {
  it.each([
    'Okay what do you have',
    'Okay, can you do this for me?',
    'Okay, and the price?',
    'Okay, a green one.',
    'Okay, thanks.',
  ])('is answered, also after the end of the reply: «%s»', (final) => {
    for (const finalAtMs of [ANSWER_END_MS - 100, ANSWER_END_MS + 150, ANSWER_END_MS + 3_000]) {
      const call = callWithLateFinal(final, finalAtMs).runUntil(20);
      expect(call.dialogue).toEqual([
        'user: Tell me about it.',
        `agent: ${LONG_ANSWER}`,
        `user: ${final}`,
        'agent: At nine.',
      ]);
      expect(lastUserTexts(call)).toEqual(['Tell me about it.', final]);
      expectReplay(call);
    }
  });

  it('has a separate turn, with the record of its answer', () => {
    const call = callWithLateFinal('Okay what do you have', ANSWER_END_MS + 150).runUntil(20);
    expect(call.turns.map(({ turn, user }) => [turn, user?.sequence, user?.corrected])).toEqual([
      [1, 1, false],
      [2, 3, false],
    ]);
  });

  it.each(['Okay.', 'Mhm, okay.'])('is not answered if it is one still: «%s»', (final) => {
    const call = callWithLateFinal(final, ANSWER_END_MS + 150).runUntil(20);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.dialogue.at(-1)).toBe(`user: ${final}`);
  });

  it('is answered after a text that the agent has begun', () => {
    const call = callWithLateFinal('Okay what do you have', 5_500);
    call
      .at(5, () => call.handle.post({ type: 'call.say', text: 'By the way. We are open today.', interrupt: false }))
      .runUntil(20);
    expect(call.heardTexts).toEqual([LONG_ANSWER, 'By the way.', 'We are open today.', 'At nine.']);
    expect(lastUserTexts(call).at(-1)).toContain('Okay what do you have');
  });
});

describe('an utterance after the turn whose words come after the answer has begun', () => {
  const SENTENCES = ['This is a longer answer.', 'It goes on and on.'];

  /** Its final comes 1.9 s after its end: the answer is heard before. */
  const callWithUtterance = (text: string) =>
    new Simulation({ agent: {}, model: [{ text: SENTENCES.join(' ') }, { text: 'At nine.' }] })
      .userSpeaks(0.5, 1.5, 'Tell me about it.')
      .userSpeaks(1.8, 2.6, text, { finalAfter: 1.9 })
      .runUntil(20);

  it.each(['Who is this?', 'The green one.', 'And it is so.'])('is answered after the sentence: «%s»', (text) => {
    const call = callWithUtterance(text);
    expect(call.heardTexts).toEqual([SENTENCES[0], 'At nine.']);
    expect(call.dialogue[0]).toBe(`user: Tell me about it. ${text}`);
    expect(lastUserTexts(call).at(-1)).toContain(text);
    expectReplay(call);
  });

  it.each(['Thank you.', 'Please.', 'Okay.'])('is not answered if it is politeness: «%s»', (text) => {
    expect(callWithUtterance(text).heardTexts).toEqual(SENTENCES);
  });

  it('leaves a turn without one as fast as before', () => {
    const call = new Simulation({ agent: {} }).userSpeaks(0.5, 1.5, 'Tell me about it.').runUntil(5);
    expect(call.heard[0]?.fromMs).toBe(1_500 + RESPONSE_MS);
  });
});
