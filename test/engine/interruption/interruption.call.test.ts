import { describe, expect, it } from 'vitest';
import { CHARACTER_MS, PAUSE_MS_MAX, PAUSING_SPEECH_MS, RESPONSE_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { Simulation } from '../simulation/simulation.ts';

const FIRST_SENTENCE = 'One two three four five six.';
const SECOND_SENTENCE = 'Seven eight nine ten.';
const INITIAL_MESSAGE = `${FIRST_SENTENCE} ${SECOND_SENTENCE}`;
const FIRST_SENTENCE_END_MS = 1_600;
const MESSAGE_END_MS = 2_650;
const agent = { initial_message: INITIAL_MESSAGE };

/** Voice activity without words. */
function soundAt(call: Simulation, atS: number, lengthMs: number): Simulation {
  const endS = atS + lengthMs / 1000;
  return call
    .at(atS, () => call.media.emit({ type: 'speech_started', audioMs: atS * 1000 }))
    .at(endS, () => call.media.emit({ type: 'speech_stopped', audioMs: endS * 1000 }));
}

describe('interruption', () => {
  it('pauses playback once speech lasts; words confirm it and truncate the agent turn to the played part', () => {
    const call = new Simulation({ agent, model: [{ text: 'Sorry.' }] })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .interimAt(1.6, 1, 'Excuse me')
      .at(2, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 2_000 }))
      .at(2.2, (call) => call.emitFinal(1, 2, 'Excuse me please.'))
      .runUntil(10);
    expect(call.heard).toEqual([
      { text: FIRST_SENTENCE, fromMs: VOICE_MS, toMs: 1_000 + PAUSING_SPEECH_MS },
      { text: 'Sorry.', fromMs: 2_000 + RESPONSE_MS, toMs: 2_000 + RESPONSE_MS + 300 },
    ]);
    // 1,300 of 1,400 ms were played: 26 of 28 characters.
    expect(call.dialogue).toEqual(['agent: One two three four five', 'user: Excuse me please.', 'agent: Sorry.']);
    expect(call.transcript[0]).toMatchObject({
      interrupted: true,
      generatedContent: INITIAL_MESSAGE,
      startUs: VOICE_MS * 1000,
    });
    expect(call.modelRequests[0]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'One two three four five' },
      { role: 'user', content: 'Excuse me please.' },
    ]);
  });

  it('does not pause playback for a cough', () => {
    const call = soundAt(new Simulation({ agent }), 1, PAUSING_SPEECH_MS - 1).runUntil(10);
    expect(call.commands.some(({ type }) => type === 'playout.pause')).toBe(false);
    expect(call.heard).toEqual([
      { text: FIRST_SENTENCE, fromMs: VOICE_MS, toMs: FIRST_SENTENCE_END_MS },
      { text: SECOND_SENTENCE, fromMs: FIRST_SENTENCE_END_MS, toMs: MESSAGE_END_MS },
    ]);
    expect(call.modelRequests).toHaveLength(0);
  });

  it('resumes playback where it paused if no words follow', () => {
    const call = soundAt(new Simulation({ agent }), 1, 2_000).runUntil(10);
    const pausedMs = 1_000 + PAUSING_SPEECH_MS;
    expect(call.heard).toEqual([
      { text: FIRST_SENTENCE, fromMs: VOICE_MS, toMs: pausedMs },
      { text: FIRST_SENTENCE, fromMs: pausedMs + PAUSE_MS_MAX, toMs: FIRST_SENTENCE_END_MS + PAUSE_MS_MAX },
      { text: SECOND_SENTENCE, fromMs: FIRST_SENTENCE_END_MS + PAUSE_MS_MAX, toMs: MESSAGE_END_MS + PAUSE_MS_MAX },
    ]);
    expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`]);
    expect(call.modelRequests).toHaveLength(0);
    call.hangUpAt(11).runUntil(12);
    expect(call.journalEntries('ended')[0]?.metrics).toMatchObject({ interruptions: 0, falseInterruptions: 1 });
  });

  it('does not pause playback for a backchannel, which gets no response', () => {
    const call = new Simulation({ agent }).interimAt(1, 0.8, 'okay').userSpeaks(0.8, 1.1, 'Okay.').runUntil(10);
    expect(call.commands.some(({ type }) => type === 'playout.pause')).toBe(false);
    expect(call.heard.at(-1)).toEqual({
      text: SECOND_SENTENCE,
      fromMs: FIRST_SENTENCE_END_MS,
      toMs: MESSAGE_END_MS,
    });
    expect(call.modelRequests).toHaveLength(0);
    expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`, 'user: Okay.']);
  });

  describe('with a long backchannel', () => {
    const murmur = () => soundAt(new Simulation({ agent, model: [{ text: 'Sorry.' }] }), 0.8, 900);
    const pauseAtMs = 800 + PAUSING_SPEECH_MS;

    it('does not pause playback if its interim is known before the speech has lasted', () => {
      const call = murmur().interimAt(1.1, 0.8, 'okay').runUntil(1.7);
      expect(call.commands.some(({ type }) => type === 'playout.pause')).toBe(false);
    });

    it('resumes playback at its interim', () => {
      const interimS = pauseAtMs / 1000 + 0.1;
      const call = murmur()
        .interimAt(interimS, 0.8, 'okay')
        .at(2, (call) => call.emitFinal(0.8, 1.7, 'Okay.'))
        .runUntil(10);
      expect(call.heard.slice(0, 2)).toEqual([
        { text: FIRST_SENTENCE, fromMs: VOICE_MS, toMs: pauseAtMs },
        { text: FIRST_SENTENCE, fromMs: pauseAtMs + 100, toMs: FIRST_SENTENCE_END_MS + 100 },
      ]);
    });

    it.each(['Occupied.', 'Okay but wait.'])('is interrupted if its interim becomes «%s»', (text) => {
      const interimS = pauseAtMs / 1000 + 0.1;
      const call = murmur()
        .interimAt(interimS, 0.8, 'okay')
        .at(2, (call) => call.emitFinal(0.8, 1.7, text))
        .runUntil(10);
      expect(call.dialogue.slice(1)).toEqual([`user: ${text}`, 'agent: Sorry.']);
      expect(call.transcript[0]).toMatchObject({ interrupted: true });
    });
  });

  it('takes a backchannel near the end of a question for the response', () => {
    const call = new Simulation({ agent: { initial_message: 'Is that right?' } })
      .userSpeaks(0.5, 0.7, 'Yes.')
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.modelRequests[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'Yes.' });
  });

  describe('with a backchannel while the agent speaks on after a question', () => {
    const QUESTION = 'Shall I book it for Tuesday?';
    const initial_message = `${QUESTION} It is the only table that is left in this week, near the large window in the hall, as all others are taken.`;
    const callWith = (afterQuestionMs: number) => {
      const call = new Simulation({ agent: { initial_message } });
      const questionEndMs = VOICE_MS + QUESTION.length * CHARACTER_MS;
      const fromS = (questionEndMs + afterQuestionMs) / 1000;
      return call.userSpeaks(fromS, fromS + 0.3, 'Yes.').runUntil(15);
    };

    it.each([-1_200, 300, 2_400])('that begins %d ms after its end answers it', (ms) => {
      const call = callWith(ms);
      expect(call.modelRequests[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'Yes.' });
      expect(call.heardTexts.slice(0, 2).join(' ')).toBe(initial_message);
    });

    it('that begins 2.6 s after its end gets no response', () => {
      expect(callWith(2_600).modelRequests).toHaveLength(0);
    });
  });

  it('needs only a backchannel at high sensitivity', () => {
    const call = new Simulation({ agent: { ...agent, interruptions_sensitivity: 'high' } })
      .userSpeaks(0.8, 1.1, 'Okay.')
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heardTexts).not.toContain(SECOND_SENTENCE);
  });

  it('needs three words, or a stop phrase, at low sensitivity', () => {
    const lowSensitivity = { ...agent, interruptions_sensitivity: 'low' as const };
    const twoWords = new Simulation({ agent: lowSensitivity }).userSpeaks(0.8, 1.7, 'Blue house').runUntil(10);
    const threeWords = new Simulation({ agent: lowSensitivity }).userSpeaks(0.8, 1.7, 'The blue house').runUntil(10);
    const stopPhrase = new Simulation({ agent: lowSensitivity }).userSpeaks(0.8, 1.7, 'Stop').runUntil(10);
    expect(twoWords.heard.at(-2)?.text).toBe(SECOND_SENTENCE);
    expect(threeWords.heardTexts).not.toContain(SECOND_SENTENCE);
    expect(stopPhrase.heardTexts).not.toContain(SECOND_SENTENCE);
    // Words that do not interrupt get a response after the agent's speech.
    expect(twoWords.modelRequests).toHaveLength(1);
  });

  it('resumes playback after an echo of the agent', () => {
    const call = new Simulation({ agent }).userSpeaks(0.6, 1.5, 'two three four').runUntil(10);
    expect(call.heard.at(-1)?.text).toBe(SECOND_SENTENCE);
    expect(call.modelRequests).toHaveLength(0);
  });

  describe('by a word of the agent', () => {
    /** From 0.2 s on; «Tuesday» plays from 1.05 s to 1.4 s, «Wednesday» from 1.55 s to 2 s. */
    const OPTIONS = 'We have Monday, Tuesday or Wednesday, all of them in the morning.';
    const FURTHER = 'Each visit takes an hour.';
    const callWith = () => new Simulation({ agent: { initial_message: `${OPTIONS} ${FURTHER}` } });

    it('is confirmed if the agent had not said the word yet', () => {
      const call = callWith().userSpeaks(1, 1.7, 'Wednesday.').runUntil(10);
      expect(call.heard[0]?.toMs).toBe(1_000 + PAUSING_SPEECH_MS);
      expect(call.heardTexts).toEqual([OPTIONS, 'Yes.']);
    });

    it('is confirmed after near-end speech on a line whose echo is known', () => {
      const call = callWith()
        .at(0.1, ({ media }) => media.emit({ type: 'echo_learnt', delayMs: 300 }))
        .userSpeaks(1.5, 2.2, 'Tuesday.')
        .runUntil(10);
      expect(call.heard[0]?.toMs).toBe(1_500 + PAUSING_SPEECH_MS);
      expect(call.heardTexts).toEqual([OPTIONS, 'Yes.']);
    });

    it('is rejected as a late echo otherwise', () => {
      const call = callWith().userSpeaks(1.5, 2.2, 'Tuesday.').runUntil(10);
      expect(call.heardTexts).toContain(FURTHER);
    });
  });

  it('does not happen with interruptions off; the user gets a response afterwards', () => {
    const call = new Simulation({ agent: { ...agent, interruptions: false } })
      .userSpeaks(0.8, 1.7, 'Stop that please.')
      .runUntil(10);
    expect(call.heard.map(({ fromMs, toMs }) => [fromMs, toMs]).slice(0, 2)).toEqual([
      [VOICE_MS, FIRST_SENTENCE_END_MS],
      [FIRST_SENTENCE_END_MS, MESSAGE_END_MS],
    ]);
    expect(call.heard).toHaveLength(3);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.commands.some(({ type }) => type === 'playout.pause')).toBe(false);
  });

  it('does not truncate an uninterruptible message', () => {
    const call = new Simulation({ agent: { ...agent, initial_message_interruptible: false } })
      .userSpeaks(0.8, 1.7, 'Stop that please.')
      .runUntil(10);
    expect(call.dialogue[0]).toBe(`agent: ${INITIAL_MESSAGE}`);
    expect(call.modelRequests).toHaveLength(1);
  });

  it('pauses playback at a word that is no backchannel, before the speech has lasted', () => {
    const call = new Simulation({ agent })
      .interimAt(1.2, 1, 'but')
      .userSpeaks(1, 1.8, 'But how much is it?')
      .runUntil(10);
    expect(call.commandTimesMs('playout.pause')).toEqual([1_200]);
    expect(call.heard[0]?.toMs).toBe(1_200);
    expect(call.modelRequests).toHaveLength(1);
  });

  it('is confirmed by words that lasted, although voice activity missed most of them', () => {
    const words = [
      { text: 'Which', startMs: 700, endMs: 950 },
      { text: 'one?', startMs: 950, endMs: 700 + PAUSING_SPEECH_MS },
    ];
    const span = { startMs: 700, endMs: 700 + PAUSING_SPEECH_MS };
    const call = soundAt(new Simulation({ agent, model: [{ text: 'Sorry.' }] }), 0.6, 100)
      .at(1.3, (call) => call.emitTranscriberEvent({ type: 'interim', text: 'Which one?', words, ...span }))
      .at(1.6, (call) => call.emitTranscriberEvent({ type: 'final', text: 'Which one?', words, ...span }))
      .runUntil(10);
    expect(call.transcript[0]).toMatchObject({ interrupted: true });
    expect(call.dialogue.slice(1)).toEqual(['user: Which one?', 'agent: Sorry.']);
  });

  it('asks for words after two false interruptions of a reply', () => {
    const call = new Simulation({
      agent: { initial_message: `${INITIAL_MESSAGE} ${INITIAL_MESSAGE} ${INITIAL_MESSAGE}` },
    });
    for (const atS of [1, 3, 5, 7]) soundAt(call, atS, 900);
    call.userSpeaks(8.5, 9.5, 'Excuse me please.').runUntil(20);
    // The last one is that of the words.
    expect(call.commandTimesMs('playout.pause').slice(0, 2)).toEqual([1_500, 3_500]);
    expect(call.commandTimesMs('playout.pause').some((atMs) => atMs > 3_500 && atMs < 8_500)).toBe(false);
    expect(call.dialogue).toContain('user: Excuse me please.');
  });

  it('asks for words after two false interruptions that were heard, not after sounds before the reply', () => {
    const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com', timeout: 60 };
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [LOOKUP] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: `${INITIAL_MESSAGE} ${INITIAL_MESSAGE}` }],
      tools: { lookup: { after: 2.6, result: {} } },
    }).userSpeaks(3.5, 4.7, 'What does it cost?');
    // The tool is called at 5.0 s; its result is heard from 7.9 s on.
    soundAt(soundAt(call, 5.5, 200), 6.3, 200);
    const SPEECH_S = 9;
    call.userSpeaks(SPEECH_S, 11, 'Excuse me please.').runUntil(20);
    expect(call.heard[0]).toMatchObject({ text: FIRST_SENTENCE, fromMs: 7_900 });
    expect(call.commandTimesMs('playout.pause')).toContain(SPEECH_S * 1000 + PAUSING_SPEECH_MS);
  });

  it('delays a reply that is not heard yet as soon as the user speaks', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 0.6, text: 'One.' }] }).userSpeaks(0.5, 1, 'Hello?');
    soundAt(call, 1.9, 400).runUntil(10);
    expect(call.heard[0]?.fromMs).toBeGreaterThan(2_300);
    expect(call.heardTexts).toEqual(['One.']);
  });
});

describe('an interruption of a transcriber without interims', () => {
  const LONG = Array.from({ length: 12 }, () => FIRST_SENTENCE).join(' ');
  const INTERRUPTION = 'Wait, I have got another question about my bill.';
  const SPEECH_START_MS = 6_000;
  const SPEECH_END_MS = 9_300;
  /** The transcriber is known by its first final: one second of words without an interim. */
  const answered = (finalAfter = 0.2) => {
    const call = new Simulation({ agent: {}, model: [{ text: LONG }, { text: 'Gladly.' }] });
    return call.userSpeaks(1, 2, 'Tell me all.', { finalAfter });
  };

  function soundWith(call: Simulation, fromMs: number, toMs: number): Simulation {
    return soundAt(call, fromMs / 1000, toMs - fromMs);
  }

  it.each([250, 800, 2_000])('keeps the pause until the final comes %i ms after the speech', (lateMs) => {
    const call = soundWith(answered(lateMs / 1000), SPEECH_START_MS, SPEECH_END_MS);
    call.at((SPEECH_END_MS + lateMs) / 1000, (call) => call.emitFinal(6, 9.3, INTERRUPTION)).runUntil(20);
    const overlap = call.heard.filter(({ fromMs, toMs }) => toMs > SPEECH_START_MS && fromMs < SPEECH_END_MS + lateMs);
    expect(overlap.map(({ toMs }) => toMs)).toEqual([SPEECH_START_MS + PAUSING_SPEECH_MS]);
    expect(call.dialogue).toContain(`user: ${INTERRUPTION}`);
    expect(call.heardTexts.at(-1)).toBe('Gladly.');
  });

  it('is paused no longer than before by a sound that does not go on', () => {
    const call = soundWith(answered(), SPEECH_START_MS, SPEECH_START_MS + 799).runUntil(12);
    const [pausedMs = 0] = call.commandTimesMs('playout.pause');
    const [resumedMs = 0] = call.commandTimesMs('playout.resume');
    expect(resumedMs - pausedMs).toBeLessThanOrEqual(PAUSE_MS_MAX);
  });

  it('is paused for 6 s at most by a sound that does not end', () => {
    const call = soundWith(answered(), SPEECH_START_MS, 20_000).runUntil(20);
    expect(call.commandTimesMs('playout.resume').slice(0, 1)).toEqual([SPEECH_START_MS + 800 + 6_000]);
  });

  it('is paused again by the next speech, which began before the agent went on', () => {
    const call = soundWith(answered(), SPEECH_START_MS, SPEECH_START_MS + 700);
    soundWith(call, SPEECH_START_MS + 1_000, SPEECH_END_MS);
    call.at(9.5, (call) => call.emitFinal(6, 9.3, INTERRUPTION)).runUntil(20);
    expect(call.commandTimesMs('playout.pause')).toEqual([6_500, 7_500]);
    expect(call.heard.some(({ fromMs }) => fromMs > 7_500 && fromMs < SPEECH_END_MS)).toBe(false);
  });
});

it('playback continues after a short sound that turns out to be an answering machine', () => {
  const call = new Simulation({ agent: { initial_message: 'Hello.' }, parameters: { direction: 'outbound' } });
  call.at(0, () => call.emitControlEvent({ type: 'answered' }));
  call.userSpeaks(1.1, 1.2, 'You have reached my voicemail.').runUntil(10);
  expect(call.heardTexts).toEqual(['Yes.']);
  expect(call.faultNotices).toEqual([]);
});
