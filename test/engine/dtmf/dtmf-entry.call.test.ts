import { describe, expect, it } from 'vitest';
import { CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { CHARACTER_MS, MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const ENTRY_PAUSE_SECONDS = 2;
const agent = { initial_message: 'Your number, please.', dtmf: { pause: ENTRY_PAUSE_SECONDS } };
const NUMBER = 'My number is the following.';

const LATE_FINALS = { ...CALL_PARAMETERS.transcriberTraits, finalP99Ms: 1_300 };
const LOST_STREAM = { provider: 'test', code: 'closed', message: '', retryable: true } as const;
/** From the percentile of finals to the end of a sound as noise. */
const NOISE_SLACK_MS = 300;
/** A sound without words that goes on is discarded after this time. */
const NOISE_MS_MAX = 10_000;

/** Plans a sound without words. */
function sounds(call: Simulation, from: number, to: number): Simulation {
  return call
    .at(from, ({ media }) => media.emit({ type: 'speech_started', audioMs: from * 1000 }))
    .at(to, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: to * 1000 }));
}

/** The user's messages in each request to the model. */
const userMessages = (call: Simulation) =>
  call.modelRequests.map(({ messages }) =>
    messages.filter(({ role }) => role === 'user').map(({ content }) => content),
  );

/** The user's part of the transcript: content, start and end in ms. */
const userEntries = (call: Simulation) =>
  call.transcript.flatMap((entry) =>
    entry.role === 'user' || entry.role === 'dtmf'
      ? [[entry.content, entry.startUs / 1000, (entry.endUs ?? 0) / 1000]]
      : [],
  );

describe('DTMF digits and speech of one user turn', () => {
  it('form one turn when the digits come before the response', () => {
    const call = new Simulation({ agent }).userSpeaks(3, 4, 'My number is').userPresses(4.1, '512#').runUntil(20);
    expect(userMessages(call)).toEqual([['My number is [pressed the keys 512]']]);
    expect(call.heardTexts).toEqual([agent.initial_message, 'Yes.']);
    expectReplay(call);
  });

  it('get a response after the end of the entry, not before', () => {
    const call = new Simulation({ agent }).userSpeaks(3, 4, NUMBER).userPresses(4.1, '12345').runUntil(20);
    expect(userMessages(call)).toEqual([[`${NUMBER} [pressed the keys 12345]`]]);
    const lastDigitMs = 4_900;
    expect(call.heard[1]?.fromMs).toBe(lastDigitMs + ENTRY_PAUSE_SECONDS * 1000 + MODEL_MS + VOICE_MS);
  });

  it('appear in the order in which they began', () => {
    const call = new Simulation({ agent }).userPresses(3, '512').userSpeaks(3.6, 4.6, 'That is it.').runUntil(20);
    expect(userMessages(call)).toEqual([['[pressed the keys 512] That is it.']]);
    expect(userEntries(call)).toEqual([
      ['512', 3_000, 3_400],
      ['That is it.', 3_600, 4_600],
    ]);
  });

  it('get no response while the user speaks', () => {
    const call = new Simulation({ agent })
      .userSpeaks(3, 7, NUMBER)
      .userPresses(4, '12#')
      .interimAt(3.5, 3, 'My')
      .interimAt(5, 3, 'My number is')
      .runUntil(20);
    expect(userMessages(call)).toEqual([[`${NUMBER} [pressed the keys 12]`]]);
    expect(call.heard[1]?.fromMs).toBeGreaterThan(7_000);
  });

  it('interrupt the agent as one turn', () => {
    const call = new Simulation({ agent: { ...agent, initial_message: 'One two three four five six seven eight.' } });
    call.userSpeaks(1, 1.6, NUMBER).interimAt(1.3, 1, 'My number').userPresses(1.2, '12#').runUntil(20);
    // The interim pauses the agent.
    expect(call.heard[0]?.toMs).toBe(1_300);
    expect(userMessages(call)).toEqual([[`${NUMBER} [pressed the keys 12]`]]);
  });

  it('do not wait for each other when the speech is only noise', () => {
    const call = new Simulation({ agent }).at(2, (simulation) =>
      simulation.media.emit({ type: 'speech_started', audioMs: 2_000 }),
    );
    call.userPresses(3, '12#').runUntil(3.5);
    expect(userMessages(call)).toEqual([['[pressed the keys 12]']]);
  });
});

describe('an entry after speech whose words are not known yet', () => {
  const SPEECH = { from: 3, to: 4.2 };
  /** The entry ends 0.9 s after the speech. */
  const pressed = (call: Simulation) => call.userPresses(SPEECH.to + 0.3, '512#');
  const ENTRY_END_MS = (SPEECH.to + 0.3 + 3 * 0.2) * 1000;

  it('is one turn with its late final', () => {
    const call = new Simulation({ agent, parameters: { transcriberTraits: LATE_FINALS } });
    pressed(call.userSpeaks(SPEECH.from, SPEECH.to, NUMBER, { finalAfter: 1.2 })).runUntil(20);
    expect(userMessages(call)).toEqual([[`${NUMBER} [pressed the keys 512]`]]);
    expect(call.heardTexts).toEqual([agent.initial_message, 'Yes.']);
    expectReplay(call);
  });

  it('is answered once the sound counts as noise', () => {
    const call = pressed(new Simulation({ agent, parameters: { transcriberTraits: LATE_FINALS } }));
    sounds(call, SPEECH.from, SPEECH.to).runUntil(20);
    expect(userMessages(call)).toEqual([['[pressed the keys 512]']]);
    const answeredMs = call.commandTimesMs('model.request')[0] ?? 0;
    expect(answeredMs).toBeGreaterThan(ENTRY_END_MS);
    expect(answeredMs).toBeLessThanOrEqual(SPEECH.to * 1000 + LATE_FINALS.finalP99Ms + NOISE_SLACK_MS);
  });

  it.each([
    { sound: 'the tones of its digits', from: 4.52, to: 4.9 },
    { sound: 'a click that goes on when it ends', from: 4.95, to: 5.15 },
    { sound: 'tones that were heard before its first digit', from: 4.4, to: 4.8 },
  ])('is one turn with its late final in spite of $sound', ({ from, to }) => {
    const call = new Simulation({ agent, parameters: { transcriberTraits: LATE_FINALS } });
    pressed(call.userSpeaks(SPEECH.from, SPEECH.to, NUMBER, { finalAfter: 1.2 }));
    sounds(call, from, to).runUntil(20);
    expect(userMessages(call)).toEqual([[`${NUMBER} [pressed the keys 512]`]]);
    expect(call.heardTexts).toEqual([agent.initial_message, 'Yes.']);
    expectReplay(call);
  });

  it('is answered although a sound after it goes on', () => {
    const call = pressed(new Simulation({ agent, parameters: { transcriberTraits: LATE_FINALS } }));
    sounds(call, SPEECH.from, SPEECH.to);
    const nextMs = (SPEECH.to + 0.4) * 1000;
    sounds(call, nextMs / 1000, 30).runUntil(20);
    expect(userMessages(call)).toEqual([['[pressed the keys 512]']]);
    expect(call.commandTimesMs('model.request')[0]).toBeLessThanOrEqual(nextMs + NOISE_MS_MAX);
  });

  it('does not wait while no transcriber hears the user', () => {
    const transcriberStreams = [{ neverReady: true }, { neverReady: true }];
    const call = pressed(new Simulation({ agent, parameters: { transcriberTraits: LATE_FINALS }, transcriberStreams }));
    call.at(SPEECH.from - 0.5, () => call.emitTranscriberEvent({ type: 'failed', error: LOST_STREAM }));
    sounds(call, SPEECH.from, SPEECH.to).runUntil(20);
    expect(call.commandTimesMs('model.request')[0]).toBe(ENTRY_END_MS);
  });

  it('does not wait after a cough and the tones of its digits', () => {
    const call = pressed(new Simulation({ agent, parameters: { transcriberTraits: LATE_FINALS } }));
    sounds(call, SPEECH.to - 0.4, SPEECH.to);
    sounds(call, SPEECH.to + 0.2, SPEECH.to + 0.85).runUntil(20);
    expect(call.commandTimesMs('model.request')[0]).toBe(ENTRY_END_MS);
  });

  it('does not wait after a cough, or for the tones of its digits', () => {
    for (const [from, to] of [
      [SPEECH.to - 0.4, SPEECH.to],
      [SPEECH.to + 0.3, SPEECH.to + 0.85],
    ] as const) {
      const call = pressed(new Simulation({ agent, parameters: { transcriberTraits: LATE_FINALS } }));
      sounds(call, from, to).runUntil(20);
      expect(call.commandTimesMs('model.request')[0]).toBe(ENTRY_END_MS);
    }
  });
});

describe('an entry after words whose answer is not heard yet', () => {
  const WORDS = 'I want to pay.';
  const SPEECH_END_S = 1.5;
  const PRESSED_S = SPEECH_END_S + 1;
  const SLOW_MODEL = { model: [{ after: 3, text: 'Never heard.' }, { text: 'Gladly.' }] };
  /** The voice has the answer before the entry, and its first packet would leave after it. */
  const SLOW_VOICE = { model: [{ text: 'Never heard.' }, { text: 'Gladly.' }], voice: { after: 1 } };
  const UNINTERRUPTIBLE = { interruptions: false };
  const UNINTERRUPTIBLE_STATE = { states: [{ name: 'start', interruptible: false }] };
  const DIGITS = {
    content: '[pressed the keys 1]',
    type: (call: Simulation) => call.userPresses(PRESSED_S, '1#', 0.1),
  };
  const TEXT = {
    content: 'By card.',
    type: (call: Simulation) => call.at(PRESSED_S, ({ media }) => media.emit({ type: 'typed_text', text: 'By card.' })),
  };

  it.each<[string, Scenario, typeof DIGITS]>([
    ['digits, slow model', { agent: {}, ...SLOW_MODEL }, DIGITS],
    ['digits, slow voice', { agent: {}, ...SLOW_VOICE }, DIGITS],
    ['digits, slow model, no interruptions', { agent: UNINTERRUPTIBLE, ...SLOW_MODEL }, DIGITS],
    ['digits, slow voice, uninterruptible state', { agent: UNINTERRUPTIBLE_STATE, ...SLOW_VOICE }, DIGITS],
    ['text, slow model', { agent: {}, ...SLOW_MODEL }, TEXT],
    ['text, slow model, no interruptions', { agent: UNINTERRUPTIBLE, ...SLOW_MODEL }, TEXT],
  ])('forms one turn with them, about which the model is asked again: %s', (_case, scenario, { content, type }) => {
    const call = new Simulation(scenario);
    type(call.userSpeaks(0.5, SPEECH_END_S, WORDS)).runUntil(20);
    expect(userMessages(call)).toEqual([[WORDS], [`${WORDS} ${content}`]]);
    expect(call.heardTexts).toEqual(['Gladly.']);
    expect(call.hangUpAt(21).runUntil(22).journalEntries('ended')[0]?.metrics.turns).toBe(1);
    expect(call.turns).toMatchObject([
      { user: { endedBy: 'dtmf', reopened: 1, sequence: expect.any(Number) }, answerHeardMs: expect.any(Number) },
    ]);
    expectReplay(call);
  });

  it('is answered, and so is the next one before that answer is heard', () => {
    const model = [{ after: 3, text: 'Never heard.' }, { after: 2, text: 'One.' }, { text: 'Two.' }];
    const call = new Simulation({ agent: UNINTERRUPTIBLE, model })
      .userSpeaks(0.5, SPEECH_END_S, WORDS)
      .userPresses(PRESSED_S, '1#2#', 0.1)
      .runUntil(20);
    const turn = `${WORDS} [pressed the keys 1]`;
    expect(userMessages(call)).toEqual([[WORDS], [turn], [turn, '[pressed the keys 2]']]);
    expect(call.heardTexts).toEqual(['One.', 'Two.']);
    expectReplay(call);
  });
});

describe('an entry before the first word of the initial message', () => {
  it.each([
    { moment: 'before the message is due', delaySeconds: 5, pressedAt: 1, audibleMs: [1_220] },
    { moment: 'before its first audio', delaySeconds: 0, pressedAt: 0.1, audibleMs: [320] },
    { moment: 'before its first word is over', delaySeconds: 0, pressedAt: 0.3, audibleMs: [200, 520] },
  ])('$moment starts the message and is answered after it', ({ delaySeconds, pressedAt, audibleMs }) => {
    const call = new Simulation({ agent: { ...agent, initial_message_delay: delaySeconds } })
      .userPresses(pressedAt, '12#', 0.01)
      .runUntil(9);
    const saidMs = audibleMs.at(-1) ?? 0;
    const overMs = saidMs + agent.initial_message.length * CHARACTER_MS;
    expect(call.heard.map(({ fromMs }) => fromMs)).toEqual([...audibleMs, overMs + MODEL_MS + VOICE_MS]);
    expect(call.heardTexts).toEqual([...audibleMs.map(() => agent.initial_message), 'Yes.']);
    expect(userMessages(call).map(([first]) => first)).toEqual(['[pressed the keys 12]']);
    expectReplay(call);
  });

  it('is part of the next request when the user speaks during the message', () => {
    const call = new Simulation({ agent }).userPresses(0, '12#', 0.01);
    call.userSpeaks(0.8, 1.4, 'Did you get it?').interimAt(1.1, 0.8, 'Did you').runUntil(9);
    expect(userMessages(call)).toEqual([['[pressed the keys 12]', 'Did you get it?']]);
  });
});

it.each([
  { moment: 'with the terminator', keys: '9#' },
  { moment: 'without one, before the pause of the entry', keys: '9' },
])('digits during the goodbye keep the call $moment', ({ keys }) => {
  const bye = { type: 'hang_up' as const, name: 'bye', filler_sentence: 'Thank you for calling.' };
  const call = new Simulation({
    agent: { ...agent, states: [{ name: 'start', tools: [bye] }] },
    model: [{ toolCalls: [{ name: 'bye' }] }, { text: 'You pressed nine.' }],
  });
  call.userSpeaks(2.5, 4, 'That is all.').userPresses(4.8, keys, 0.1).runUntil(20);
  expect(call.heardTexts.at(-1)).toBe('You pressed nine.');
  expect(call.endReason).toBeNull();
  expectReplay(call);
});

describe('DTMF digits that get no response', () => {
  it.each(['5', '5#'])('stay in the transcript when the user presses %s and hangs up', (digits) => {
    const variables = [{ name: 'rating', type: 'integer' as const, description: 'How content the caller is.' }];
    const call = new Simulation({ agent: { ...agent, interruptions: false, variables } })
      .userPresses(0.5, digits)
      .hangUpAt(0.9)
      .runUntil(10);
    expect(userEntries(call)).toEqual([['5', 500, 500]]);
    expect(call.extractionRequests[0]?.messages.at(-1)?.content).toContain('[pressed the keys 5]');
    expect(call.modelRequests).toEqual([]);
    expectReplay(call);
  });

  it('do not reach the agent while the user talks to the transfer target', () => {
    const desk = { type: 'transfer_call' as const, name: 'desk', destination: '+4930111111' };
    const call = new Simulation({
      agent: { ...agent, states: [{ name: 'start', tools: [desk] }] },
      model: [{ toolCalls: [{ name: 'desk' }] }],
    }).userSpeaks(3, 4, 'Somebody else, please.');
    call.at(5, () => call.emitControlEvent({ type: 'transfer_succeeded', bridged: true }));
    call.userPresses(8, '4711#').hangUpAt(12).runUntil(20);
    expect(call.endReason).toBe('transferred');
    expect(userEntries(call)).toEqual([['Somebody else, please.', 3_000, 4_000]]);
  });
});
