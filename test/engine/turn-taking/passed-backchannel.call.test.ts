import { describe, expect, it } from 'vitest';
import { CHARACTER_MS, RESPONSE_MS, VOICE_MS } from '../simulation/default-timing.ts';
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

  it('has another entry and turn after a backchannel that was no answer', () => {
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

describe('«Hello?» over a greeting of one sentence', () => {
  const GREETING = 'Welcome to Acme, how can I help you?';
  const callWith = (from: number, text: string) =>
    new Simulation({ agent: { initial_message: GREETING } }).userSpeaks(from, from + 0.4, text).runUntil(10);

  it.each(['Hello?', 'Good morning.'])('gets no answer besides the greeting: «%s»', (text) => {
    const call = callWith(0.5, text);
    expect(call.modelRequests).toEqual([]);
    expect(call.heardTexts).toEqual([GREETING]);
    expect(call.dialogue).toEqual([`agent: ${GREETING}`, `user: ${text}`]);
  });

  it('is answered at its end, and so are other words', () => {
    expect(callWith(1.4, 'Hello?').modelRequests).toHaveLength(1);
    expect(callWith(0.5, 'Opening hours?').modelRequests).toHaveLength(1);
  });
});

describe('a backchannel over the answer', () => {
  /** From the end of the user's words to their final, in ms: before and after the end of the answer. */
  const LATENCIES_MS = Array.from({ length: 15 }, (_, index) => 200 + index * 200);
  const ANSWER = 'It comes on Tuesday. The driver has it, and you will hear the bell ring at nine.';
  const ANSWER_END_S = 1.5 + RESPONSE_MS / 1000 + (ANSWER.length * CHARACTER_MS) / 1000;

  /** «When does my parcel come?» is answered with these words; the user says a backchannel this long before their end. */
  function callOver(answer: string, endsBeforeS: number, finalAfter: number, text = 'Mhm.') {
    const endS = 1.5 + RESPONSE_MS / 1000 + (answer.length * CHARACTER_MS) / 1000 - endsBeforeS;
    return new Simulation({ agent: {}, model: [{ text: answer }, { text: 'I see.' }] })
      .userSpeaks(0.5, 1.5, 'When does my parcel come?')
      .userSpeaks(endS - 0.3, endS, text, { finalAfter });
  }

  it.each(LATENCIES_MS)('has its entry and no answer with a final %d ms late', (ms) => {
    const call = callOver(ANSWER, 1.7, ms / 1000).runUntil(12);
    expect(userEntries(call)).toEqual([
      ['When does my parcel come?', 500],
      ['Mhm.', Math.round((ANSWER_END_S - 2) * 1000)],
    ]);
    expect(call.modelRequests).toHaveLength(1);
    expectReplay(call);
  });

  it.each(LATENCIES_MS)('is answered with a final %d ms late if it ends with the answer', (ms) => {
    const call = callOver(ANSWER, 1.4, ms / 1000).runUntil(12);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      'When does my parcel come?',
      'Mhm.',
    ]);
  });

  it.each(LATENCIES_MS)('is answered with a final %d ms late if it follows a question', (ms) => {
    const question = 'Is Tuesday fine? The driver has it, and he comes at nine in the morning.';
    const call = callOver(question, 2, ms / 1000, 'Yes.').runUntil(12);
    expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toBe('Yes.');
  });

  describe('after the question of the reply before', () => {
    const QUESTION = 'Shall I also check Friday?';
    const QUESTION_END_S = (VOICE_MS + QUESTION.length * CHARACTER_MS) / 1000;
    const SAID = `By the way, our office is closed on every Monday of this month${', and of the next one'.repeat(3)}.`;
    const callAfterQuestion = (gapS: number) =>
      new Simulation({ agent: { initial_message: QUESTION }, model: [{ text: 'I will.' }] })
        .at(0.5, (call) => call.handle.post({ type: 'call.say', text: SAID, interrupt: false }))
        .userSpeaks(QUESTION_END_S + gapS, QUESTION_END_S + gapS + 0.3, 'Yes.')
        .runUntil(20);
    const QUESTION_ANSWER_S_MAX = 2.5;

    it('is answered after the reply that has begun since', () => {
      expect(callAfterQuestion(0.4).heardTexts).toEqual([QUESTION, SAID, 'I will.']);
    });

    it('is not answered if it comes too late for that', () => {
      expect(callAfterQuestion(QUESTION_ANSWER_S_MAX + 0.1).heardTexts).toEqual([QUESTION, SAID]);
    });

    it('is not answered if a turn of the user has answered the question', () => {
      const call = new Simulation({
        agent: { initial_message: QUESTION },
        model: [{ text: SAID }, { text: 'I will.' }],
      })
        .userSpeaks(QUESTION_END_S + 0.1, QUESTION_END_S + 0.6, 'Please do.')
        .userSpeaks(QUESTION_END_S + 1.8, QUESTION_END_S + 2.1, 'Okay.')
        .runUntil(20);
      expect(call.modelRequests).toHaveLength(1);
      expect(userEntries(call).at(-1)?.[0]).toBe('Okay.');
    });
  });

  it.each(LATENCIES_MS)('is answered with a final %d ms late if it is more than a backchannel', (ms) => {
    const call = callOver(ANSWER, 1.7, ms / 1000, 'Okay, at nine?').runUntil(12);
    expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toBe('Okay, at nine?');
  });

  it.each(LATENCIES_MS)('has no answer with the end of its provider’s turn %d ms late', (ms) => {
    const parameters = { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } };
    const endMs = VOICE_MS + ANSWER.length * CHARACTER_MS - 1_700;
    const ended = { type: 'turn', phase: 'ended', text: 'Mhm.', startMs: endMs - 300, endMs } as const;
    const call = new Simulation({ agent: { initial_message: ANSWER }, parameters });
    call.at((endMs + ms) / 1000, () => call.emitTranscriberEvent(ended)).runUntil(10);
    expect(userEntries(call).map(([content]) => content)).toEqual(['Mhm.']);
    expect(call.modelRequests).toHaveLength(0);
  });

  it.each(LATENCIES_MS)('leaves the user their next turn with a final %d ms late', (ms) => {
    const call = callOver(ANSWER, 1.7, ms / 1000)
      .userSpeaks(ANSWER_END_S + 0.4, ANSWER_END_S + 1.4, 'Where is it now?', {
        finalAfter: Math.max(0.2, ms / 1000 - 1),
      })
      .runUntil(15);
    expect(userEntries(call).map(([content]) => content)).toEqual([
      'When does my parcel come?',
      'Mhm.',
      'Where is it now?',
    ]);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      'When does my parcel come?',
      'Where is it now?',
    ]);
  });

  it.each(LATENCIES_MS)('has no answer with an interim %d ms late', (ms) => {
    const endS = ANSWER_END_S - 1.7;
    const call = callOver(ANSWER, 1.7, ms / 1000 + 0.5);
    const interim = { type: 'interim', text: 'Mhm', startMs: (endS - 0.3) * 1000, endMs: endS * 1000 } as const;
    call.at(endS + ms / 1000, () => call.emitTranscriberEvent(interim)).runUntil(12);
    expect(userEntries(call).at(-1)?.[0]).toBe('Mhm.');
    expect(call.modelRequests).toHaveLength(1);
  });
});

describe('a short answer to a question of the agent that speaks on', () => {
  const QUESTION = 'Shall I send you a confirmation? It takes about one minute to arrive at your address.';
  const requestsAfter = (text: string) =>
    new Simulation({ agent: {}, model: [{ text: QUESTION }, { text: 'It is sent.' }] })
      .userSpeaks(0.5, 1.5, 'I have booked a table.')
      .userSpeaks(3.1, 3.5, text)
      .runUntil(15).modelRequests.length;

  it.each(['Yes, please.', 'Sure, thanks.', 'Yes.'])('is answered: «%s»', (text) =>
    expect(requestsAfter(text)).toBe(2),
  );
  it.each(['Um.', 'Thank you.'])('is none: «%s»', (text) => expect(requestsAfter(text)).toBe(1));
});
