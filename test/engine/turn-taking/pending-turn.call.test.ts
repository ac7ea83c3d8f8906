import { describe, expect, it } from 'vitest';
import { FINAL_MS, MODEL_MS, RESPONSE_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const SPEECH_END_MS = 1_500;
/** The model's first answer comes after this many seconds. */
const THINKING_S = 2;
/** The sound may have words that are not known yet. */
const MISSING_WORDS_MS_MAX = 1_200;
/** A sound without words withholds an answer no longer than this after the words. */
const WITHHELD_MS_MAX = 4_000;
const FINAL_P99_MS = 400;
const FINAL_SLACK_MS = 100;
const MODEL = [{ after: THINKING_S, text: 'Never heard.' }, { text: 'Gladly.' }];
const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };

/** The user's first words end at `SPEECH_END_MS`; their answer would be heard at 3.9 s. */
function callWithSlowAnswer(agent: ConstructorParameters<typeof Simulation>[0]['agent'] = {}): Simulation {
  return new Simulation({ agent, model: MODEL }).userSpeaks(0.5, SPEECH_END_MS / 1000, 'I want a table.');
}

const userEntries = (call: Simulation) => call.transcript.filter(({ role }) => role === 'user');
const lastTexts = (call: Simulation) => call.modelRequests.map(({ messages }) => messages.at(-1)?.content);
const soundAt = (call: Simulation, from: number, to: number) =>
  call
    .at(from, () => call.media.emit({ type: 'speech_started', audioMs: from * 1000 }))
    .at(to, () => call.media.emit({ type: 'speech_stopped', audioMs: to * 1000 }));

describe('a user who goes on before the answer is heard', () => {
  it.each([{}, { interruptions: false }])('says one turn, which is asked about again in silence: %o', (agent) => {
    const call = callWithSlowAnswer(agent).userSpeaks(2.2, 3, 'For four people.').runUntil(20);
    expect(lastTexts(call)).toEqual(['I want a table.', 'I want a table. For four people.']);
    expect(call.heardTexts).toEqual(['Gladly.']);
    expect(call.dialogue).toEqual(['user: I want a table. For four people.', 'agent: Gladly.']);
    expect(userEntries(call)).toMatchObject([{ startUs: 500_000, endUs: 3_000_000 }]);
    const { metrics } = call.hangUpAt(21).runUntil(22).journalEntries('ended')[0] ?? {};
    expect(metrics).toMatchObject({ turns: 1, interruptions: 0, falseInterruptions: 0 });
    expectReplay(call);
  });

  it('long after their words goes on too: they were said over the agent, and the model is slow', () => {
    const statement = 'We have a table for two near the window on Tuesday, and another one in the garden on Friday.';
    const model = [{ text: statement }, { text: 'Then it is the garden.', after: 2.5 }, { text: 'Gladly.' }];
    const call = new Simulation({ agent: {}, model })
      .interimAt(1, 0.5, 'What do')
      .userSpeaks(0.5, 1.5, 'What do you have?')
      .userSpeaks(3.5, 3.9, 'Garden.')
      .interimAt(9.8, 9, 'But only if')
      .userSpeaks(9, 11, 'But only if it does not rain.')
      .runUntil(20);
    expect(call.heard.filter(({ fromMs, toMs }) => toMs > 9_000 && fromMs < 11_000)).toEqual([]);
    expect(call.heardTexts.at(-1)).toBe('Gladly.');
    expectReplay(call);
  });

  it('cancels an answer whose sentences wait for their audio', () => {
    const call = new Simulation({
      agent: {},
      model: [{ text: 'Never heard.' }, { text: 'Gladly.' }],
      voice: { after: 1 },
    })
      .userSpeaks(0.5, 1.5, 'I want a table.')
      .userSpeaks(2.2, 3, 'For four people.')
      .runUntil(20);
    expect(call.heardTexts).toEqual(['Gladly.']);
    expect(call.dialogue).toEqual(['user: I want a table. For four people.', 'agent: Gladly.']);
  });

  describe('after a question of the agent', () => {
    const QUESTION = 'Shall I book it for five?';
    const callWith = (question: string, text: string) =>
      new Simulation({ agent: {}, model: [{ text: question }, { after: 1, text: 'First.' }, { text: 'Second.' }] })
        .userSpeaks(0.5, 1, 'Hello?')
        .userSpeaks(4, 4.3, 'No.')
        .userSpeaks(4.9, 5.2, text)
        .runUntil(20);

    it.each(['Yes.', 'Of course.', 'Okay.'])('changes the answer with «%s»', (text) => {
      const call = callWith(QUESTION, text);
      expect(lastTexts(call)).toEqual(['Hello?', 'No.', `No. ${text}`]);
      expect(call.heardTexts).toEqual([QUESTION, 'Second.']);
    });

    it.each(['Um.', 'Thank you.', 'Hello?'])('does not change the answer with «%s»', (text) => {
      expect(lastTexts(callWith(QUESTION, text))).toEqual(['Hello?', 'No.']);
    });

    it('does not change the answer to other words of the agent with «Yes.»', () => {
      expect(lastTexts(callWith('It is booked for five.', 'Yes.'))).toEqual(['Hello?', 'No.']);
    });
  });

  it('hears the answer after the end of a sound without words', () => {
    const call = new Simulation({ agent: {}, model: [{ text: 'Gladly.' }], voice: { after: 1 } }).userSpeaks(
      0.5,
      1.5,
      'I want a table.',
    );
    soundAt(call, 2.2, 3.5).runUntil(20);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heardTexts).toEqual(['Gladly.']);
    expect(call.heard[0]?.fromMs).toBe(3_500 + MISSING_WORDS_MS_MAX);
    expect(call.hangUpAt(21).runUntil(22).journalEntries('ended')[0]?.metrics.falseInterruptions).toBe(0);
  });

  it('hears the answer four seconds after their words during a sound without words, once interims were sent', () => {
    const call = new Simulation({ agent: {}, model: [{ after: THINKING_S, text: 'Gladly.' }] })
      .interimAt(1, 0.5, 'I want')
      .userSpeaks(0.5, SPEECH_END_MS / 1000, 'I want a table.');
    // The voice has the answer, and its audio comes during the sound.
    const soundMs = SPEECH_END_MS + FINAL_MS + THINKING_S * 1000 + VOICE_MS / 2;
    soundAt(call, soundMs / 1000, 15).runUntil(20);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard[0]).toMatchObject({ text: 'Gladly.', fromMs: SPEECH_END_MS + WITHHELD_MS_MAX });
    expectReplay(call);
  });

  it.each([false, true])(
    'waits for a cough no longer than a final takes, if the provider ends turns: %s',
    (detectsTurns) => {
      const [coughMs, coughEndMs] = [1_850, 2_000];
      const call = new Simulation({
        agent: {},
        parameters: { transcriberTraits: { detectsTurns, finalP99Ms: FINAL_P99_MS } },
        model: [{ text: 'Gladly.', after: 0.4 }],
      });
      if (detectsTurns) {
        const turn = { type: 'turn', phase: 'ended', text: 'I want a table.', startMs: 500, endMs: 1_500 } as const;
        soundAt(call, 0.5, 1.5).at(1.7, () => call.emitTranscriberEvent(turn));
      } else call.userSpeaks(0.5, 1.5, 'I want a table.');
      call
        .at(1.9, ({ media }) => media.emit({ type: 'speech_started', audioMs: coughMs }))
        .at(2.2, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: coughEndMs }))
        .runUntil(20);
      expect(call.modelRequests).toHaveLength(1);
      expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
        ['Gladly.', coughEndMs + FINAL_P99_MS + FINAL_SLACK_MS + VOICE_MS],
      ]);
    },
  );

  it.each(['', '.'])('waits as long for a cough after a final that adds «%s» to the words asked with', (mark) => {
    const coughEndMs = 2_500;
    const call = new Simulation({
      agent: {},
      parameters: { transcriberTraits: { detectsTurns: false, finalP99Ms: FINAL_P99_MS, wordEndSlackMs: 250 } },
      model: [{ text: 'Gladly.', after: 0.4 }],
    });
    soundAt(call, 0.5, 1.5)
      .interimAt(1.6, 0.5, 'I want a table')
      .at(2.15, () => call.emitFinal(0.5, 1.5, `I want a table${mark}`));
    soundAt(call, 2.3, coughEndMs / 1000).runUntil(20);
    expect(call.heard[0]?.fromMs).toBe(coughEndMs + FINAL_P99_MS + FINAL_SLACK_MS + VOICE_MS);
  });

  it('adds politeness to the turn without a new request', () => {
    const call = callWithSlowAnswer().userSpeaks(2.2, 2.6, 'Please.').runUntil(20);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.dialogue).toEqual(['user: I want a table. Please.', 'agent: Never heard.']);
  });

  it('speaks in another turn once the answer was heard', () => {
    const call = new Simulation({ agent: {}, model: [{ text: 'For how many people?' }, { text: 'Gladly.' }] })
      .userSpeaks(0.5, 1.5, 'I want a table.')
      .userSpeaks(2.6, 3.4, 'For four people.')
      .runUntil(20);
    expect(userEntries(call).map(({ content }) => content)).toEqual(['I want a table.', 'For four people.']);
  });
});

it('an answer that is withheld and dropped leaves no playback paused', () => {
  const call = callWithSlowAnswer()
    .at(2.2, (call) => call.media.emit({ type: 'speech_started', audioMs: 2_200 }))
    .at(2.3, (call) => call.emitTone(2.2, 2.3, 'beep'))
    .at(2.4, (call) => call.handle.post({ type: 'call.say', text: 'By the way.', interrupt: true }))
    .userPresses(2.5, '1#')
    .at(2.9, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 2_900 }))
    .runUntil(20);
  expect(call.heardTexts).toEqual(['Gladly.', 'By the way.']);
});

describe('a pending turn', () => {
  it('is committed when a tool of its answer runs', () => {
    const states = [{ name: 'start', tools: [LOOKUP] }];
    const call = new Simulation({
      agent: { states },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Gladly.' }],
      tools: { lookup: { after: 1.5, result: {} } },
    })
      .userSpeaks(0.5, 1.5, 'I want a table.')
      .userSpeaks(2.2, 3, 'For four people.')
      .runUntil(20);
    expect(call.toolRuns).toHaveLength(1);
    expect(userEntries(call).map(({ content }) => content)).toEqual(['I want a table.', 'For four people.']);
  });

  it('is committed with the call’s end', () => {
    const call = callWithSlowAnswer().hangUpAt(2).runUntil(10);
    expect(call.dialogue).toEqual(['user: I want a table.']);
    expect(call.journalEntries('ended')[0]?.metrics.turns).toBe(1);
  });

  it('has its variables read at its end', () => {
    const states = [{ name: 'start', variables: [{ name: 'size' }] }];
    const call = callWithSlowAnswer({ states }).userSpeaks(2.2, 3, 'For four people.').runUntil(20);
    expect(call.extractionRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      expect.stringContaining('Caller: I want a table.'),
      expect.stringContaining('Caller: I want a table. For four people.'),
    ]);
  });

  it('is answered as fast as a committed one', () => {
    const call = new Simulation({ agent: {} }).userSpeaks(0.5, 1.5, 'Hello?').runUntil(5);
    expect(call.heard[0]?.fromMs).toBe(SPEECH_END_MS + RESPONSE_MS);
    expect(RESPONSE_MS).toBe(200 + MODEL_MS + VOICE_MS);
  });
});
