import { describe, expect, it } from 'vitest';
import { SPEECH_STOP_LATENESS_MS } from '../../../engine/ports/media.ts';
import { MODEL_MS, PAUSING_SPEECH_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { Simulation } from '../simulation/simulation.ts';

const FIRST_SENTENCE = 'One two three four five six.';
const SECOND_SENTENCE = 'Seven eight nine ten.';
const INITIAL_MESSAGE = `${FIRST_SENTENCE} ${SECOND_SENTENCE}`;
const FIRST_SENTENCE_END_MS = 1_600;
const MESSAGE_END_MS = 2_650;
const SPEECH_START_MS = 600;
const FINAL_AFTER_MS = 100;

type Sensitivity = 'low' | 'medium' | 'high';

/** The user speaks over the initial message for this long. */
function callWithSpeech(sensitivity: Sensitivity, durationMs: number, text: string): Simulation {
  return new Simulation({ agent: { initial_message: INITIAL_MESSAGE, interruptions_sensitivity: sensitivity } })
    .userSpeaks(SPEECH_START_MS / 1000, (SPEECH_START_MS + durationMs) / 1000, text, {
      finalAfter: FINAL_AFTER_MS / 1000,
    })
    .runUntil(10);
}

function isInterrupted(call: Simulation): boolean {
  return !call.heardTexts.includes(SECOND_SENTENCE);
}

describe('interruption', () => {
  it.each([
    ['high', 200, 'Blue'],
    ['medium', 500, 'Blue'],
    ['low', 800, 'The blue house'],
  ] as const)('needs, at %s sensitivity, %i ms of speech', (sensitivity, speechMsMin, text) => {
    expect(isInterrupted(callWithSpeech(sensitivity, speechMsMin, text))).toBe(true);
    const tooShort = callWithSpeech(sensitivity, speechMsMin - 1, text);
    expect(isInterrupted(tooShort)).toBe(false);
    // Playback goes on, and the response follows.
    expect(tooShort.heard.slice(0, 2)).toEqual([
      { text: FIRST_SENTENCE, fromMs: VOICE_MS, toMs: FIRST_SENTENCE_END_MS },
      { text: SECOND_SENTENCE, fromMs: FIRST_SENTENCE_END_MS, toMs: MESSAGE_END_MS },
    ]);
    expect(tooShort.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([text]);
  });

  it.each([
    ['high', 'Okay', true],
    ['high', 'mhm', true],
    ['medium', 'Okay', false],
    ['medium', 'Okay I see', false],
    ['medium', 'Okay but', true],
    ['low', 'blue house', false],
    ['low', 'the blue house', true],
    ['low', 'okay I see', false],
    ['low', 'stop', true],
    ['low', 'hold on', true],
  ] as const)('follows, at %s sensitivity, with enough speech «%s»: %s', (sensitivity, text, interrupts) => {
    expect(isInterrupted(callWithSpeech(sensitivity, 1_200, text))).toBe(interrupts);
  });

  it.each([
    ['a word is known before the end of the speech', true],
    ['only the final shows the word', false],
  ])('is decided by the length of the speech, not by when its end is known, if %s', (_case, hasInterim) => {
    const shortMs = PAUSING_SPEECH_MS - 160;
    const endMs = SPEECH_START_MS + shortMs;
    const startMs = SPEECH_START_MS;
    const call = new Simulation({ agent: { initial_message: INITIAL_MESSAGE } })
      .at((startMs + 60) / 1000, ({ media }) => media.emit({ type: 'speech_started', audioMs: startMs }))
      .at((endMs + SPEECH_STOP_LATENESS_MS) / 1000, ({ media }) =>
        media.emit({ type: 'speech_stopped', audioMs: endMs }),
      )
      .at((endMs + 300) / 1000, (call) => call.emitFinal(startMs / 1000, endMs / 1000, 'The blue'));
    if (hasInterim) call.interimAt((startMs + 300) / 1000, startMs / 1000, 'The blue');
    expect(isInterrupted(call.runUntil(10))).toBe(false);
  });

  it.each(['low', 'medium', 'high'] as const)(
    'follows, at %s sensitivity, a stop phrase of any length',
    (sensitivity) => {
      const call = callWithSpeech(sensitivity, 150, 'Stop.');
      expect(call.heard[0]?.toMs).toBe(SPEECH_START_MS + 150 + FINAL_AFTER_MS);
      expect(isInterrupted(call)).toBe(true);
    },
  );

  it.each([
    ['high', SPEECH_START_MS + 200],
    ['medium', SPEECH_START_MS + 500],
    ['low', SPEECH_START_MS + 800],
  ] as const)('begins, at %s sensitivity, while the user still speaks, at %i ms', (sensitivity, atMs) => {
    const call = new Simulation({ agent: { initial_message: INITIAL_MESSAGE, interruptions_sensitivity: sensitivity } })
      .at(SPEECH_START_MS / 1000, (simulation) =>
        simulation.media.emit({ type: 'speech_started', audioMs: SPEECH_START_MS }),
      )
      .interimAt(0.7, 0.6, 'Is the blue house free');
    call.runUntil((atMs - 1) / 1000);
    expect(call.handle.view().agentState).toBe('paused');
    expect(call.commands.some(({ type }) => type === 'playout.clear')).toBe(false);
    call.runUntil(atMs / 1000);
    expect(call.handle.view().agentState).toBe('userSpeaking');
    expect(call.commands.some(({ type }) => type === 'playout.clear')).toBe(true);
  });

  it('does not matter before the answer is heard: any word but a backchannel withdraws it', () => {
    const model = [{ after: 3, text: 'One.' }, { text: 'Two.' }];
    const callWhileThinking = (durationMs: number, text: string) =>
      new Simulation({ agent: {}, model })
        .userSpeaks(0.5, 1, 'Hello?')
        .userSpeaks(2, 2 + durationMs / 1000, text, { finalAfter: 0.1 })
        .runUntil(12);
    expect(callWhileThinking(600, 'mhm').heardTexts).toEqual(['One.']);
    expect(callWhileThinking(300, 'Blue').heardTexts).toEqual(['Two.']);
  });
});

describe('backchannel after a question', () => {
  it.each(['Yes.', 'Yeah', 'Okay.'])('counts as a response: «%s» over the end of the question or after it', (text) => {
    for (const from of [0.8, 0.85, 1, 1.5]) {
      // The question ends at 0.9 s.
      const call = new Simulation({ agent: { initial_message: 'Is that right?' } })
        .userSpeaks(from, from + 0.2, text)
        .runUntil(10);
      expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([text]);
    }
  });

  it('counts as a response also with interruptions off, and without detected speech', () => {
    const withoutInterruptions = new Simulation({ agent: { initial_message: 'Is that right?', interruptions: false } })
      .userSpeaks(0.6, 0.8, 'Yes.')
      .runUntil(10);
    expect(withoutInterruptions.modelRequests).toHaveLength(1);
    const withoutActivity = new Simulation({ agent: { initial_message: 'Is that right?' } })
      .at(1.2, (simulation) => simulation.emitFinal(0.95, 1.1, 'Yes.'))
      .runUntil(10);
    expect(withoutActivity.modelRequests).toHaveLength(1);
  });
});

it('with interruptions off, the response to the user starts when the agent has finished', () => {
  const call = new Simulation({ agent: { initial_message: INITIAL_MESSAGE, interruptions: false } })
    .userSpeaks(0.8, 1.7, 'Stop that please.')
    .runUntil(10);
  const responseMs = MESSAGE_END_MS + MODEL_MS + VOICE_MS;
  expect(call.heard).toEqual([
    { text: FIRST_SENTENCE, fromMs: VOICE_MS, toMs: FIRST_SENTENCE_END_MS },
    { text: SECOND_SENTENCE, fromMs: FIRST_SENTENCE_END_MS, toMs: MESSAGE_END_MS },
    { text: 'Yes.', fromMs: responseMs, toMs: responseMs + 200 },
  ]);
  expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`, 'user: Stop that please.', 'agent: Yes.']);
});

it('a farewell of the user over the goodbye does not cancel the hang-up', () => {
  const hangUp = { type: 'hang_up' as const, name: 'bye', filler_sentence: 'Is there anything else? Goodbye then.' };
  const call = new Simulation({
    agent: { states: [{ name: 'start', tools: [hangUp] }] },
    model: [{ toolCalls: [{ name: 'bye' }] }],
  })
    .userSpeaks(0.5, 1, 'That is all.')
    .userSpeaks(1.8, 2.6, 'No, thank you, bye.')
    .runUntil(10);
  expect(call.endReason).toBe('agent_hangup');
  expect(call.modelRequests).toHaveLength(1);
});

describe('words of an interim that may become a courtesy', () => {
  const GOODBYE = 'Is there anything else? Goodbye then.';
  const hangUp = { type: 'hang_up' as const, name: 'bye', filler_sentence: GOODBYE };
  const goodbye = () =>
    new Simulation({
      agent: { states: [{ name: 'start', tools: [hangUp] }] },
      model: [{ toolCalls: [{ name: 'bye' }] }],
    }).userSpeaks(0.5, 1, 'That is all.');

  it.each([
    ['No', 'No, thank you, bye.'],
    ['Have a', 'Have a nice day.'],
  ])('do not cancel the hang-up: «%s»', (interim, text) => {
    const call = goodbye().interimAt(2, 1.8, interim).userSpeaks(1.8, 2.6, text).runUntil(10);
    expect(call.endReason).toBe('agent_hangup');
    expect(call.modelRequests).toHaveLength(1);
    expect(call.dialogue).toContain(`agent: ${GOODBYE}`);
  });

  it.each([
    ['No', 'No.'],
    ['No', 'No, one more question.'],
    ['Have a', 'Have a look at my order first.'],
  ])('cancel the hang-up once they are other words: «%s», then «%s»', (interim, text) => {
    const call = goodbye().interimAt(2, 1.8, interim).userSpeaks(1.8, 2.6, text).runUntil(4);
    expect(call.modelRequests.at(-1)?.messages.at(-1)).toEqual({ role: 'user', content: text });
  });

  it('keep the call until they are final, although the goodbye has ended before', () => {
    const text = 'No, one more question.';
    const call = goodbye().interimAt(2.9, 2.8, 'No').userSpeaks(2.8, 4.4, text).runUntil(6);
    expect(call.endReason).toBeNull();
    expect(call.modelRequests.at(-1)?.messages.at(-1)).toEqual({ role: 'user', content: text });
  });

  const greeting = (interimS: number, text: string) =>
    new Simulation({ agent: { initial_message: INITIAL_MESSAGE } })
      .interimAt(interimS, 0.6, 'No')
      .userSpeaks(0.6, 1.2, text, { finalAfter: FINAL_AFTER_MS / 1000 });

  it('pause the agent, who then goes on', () => {
    const call = greeting(0.8, 'No problem.').runUntil(10);
    expect(call.commandTimesMs('playout.pause')).toEqual([800]);
    expect(isInterrupted(call)).toBe(false);
    expect(call.modelRequests).toEqual([]);
  });

  it('interrupt at the next interim that rules the courtesy out, or at the final', () => {
    const interim = greeting(0.8, 'No, that is wrong.').interimAt(1, 0.6, 'No that is');
    expect(interim.runUntil(10).commandTimesMs('playout.clear')).toEqual([1_000]);
    const final = greeting(0.8, 'No.').runUntil(10);
    expect(final.commandTimesMs('playout.clear')).toEqual([1_200 + FINAL_AFTER_MS]);
    expect(isInterrupted(final)).toBe(true);
  });

  it('interrupt at the final also if playback has resumed before it', () => {
    const call = new Simulation({ agent: { initial_message: INITIAL_MESSAGE } })
      .interimAt(0.8, 0.6, 'No')
      .userSpeaks(0.6, 0.8, 'No.', { finalAfter: 1 });
    call.runUntil(10);
    expect(call.heardTexts).not.toContain(SECOND_SENTENCE);
  });

  it('interrupt at the final also if the interim comes later than finals do', () => {
    const call = new Simulation({ agent: { initial_message: INITIAL_MESSAGE } })
      .interimAt(1.6, 0.6, 'No')
      .userSpeaks(0.6, 0.8, 'No.', { finalAfter: 1.5 })
      .runUntil(10);
    expect(call.commandTimesMs('playout.clear')).toEqual([2_300]);
  });

  it('interrupt at once if no courtesy begins with them', () => {
    const call = new Simulation({ agent: { initial_message: INITIAL_MESSAGE } })
      .interimAt(0.8, 0.6, 'Wait')
      .userSpeaks(0.6, 1.2, 'Wait.')
      .runUntil(10);
    expect(call.commandTimesMs('playout.clear')).toEqual([800]);
  });
});
