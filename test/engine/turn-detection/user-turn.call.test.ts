import { describe, expect, it } from 'vitest';
import { CHARACTER_MS, MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const YES_MS = 'Yes.'.length * CHARACTER_MS;
const SENTENCE = 'One two three four five six.';
const SAY_TEXT = 'By the way.';
/** The pause after dictated text that ends a turn. */
const DICTATION_PAUSE_MS = 1_800;
/** A place may follow a street with its number. */
const PLACE_PAUSE_MS = 1_300;
/** The default pause that ends a DTMF entry. */
const DTMF_PAUSE_MS = 3_000;
/** A noise without words counts as the user's activity for this long. */
const NOISE_MS_MAX = 10_000;
const TURN_DETECTING = { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } };

describe('a user turn', () => {
  it('continues after a pause in an unfinished sentence', () => {
    const call = new Simulation({ agent: {} })
      .userSpeaks(0.5, 1.5, 'I would like a table for')
      .userSpeaks(2.2, 3, 'four people.')
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.dialogue[0]).toBe('user: I would like a table for four people.');
    expect(call.transcript[0]).toMatchObject({ startUs: 500_000, endUs: 3_000_000 });
  });

  it('is committed without a late final, which only corrects its spelling when it arrives', () => {
    const call = new Simulation({ agent: {} })
      .interimAt(1.4, 0.5, 'I want a table')
      .at(0.5, (call) => call.media.emit({ type: 'speech_started', audioMs: 500 }))
      .at(1.5, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 1_500 }))
      .at(4, (call) => call.emitFinal(0.5, 1.5, 'I want a table.'))
      .runUntil(10);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['I want a table']);
    expect(call.dialogue).toEqual(['user: I want a table.', 'agent: Yes.']);
  });

  it('adds only the new words if it continues after the commit', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 9, text: 'No.' }, { text: 'Fine.' }] })
      .interimAt(1.4, 0.5, 'I want a table')
      .at(0.5, (call) => call.media.emit({ type: 'speech_started', audioMs: 500 }))
      .at(1.5, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 1_500 }))
      .at(2.5, (call) => call.media.emit({ type: 'speech_started', audioMs: 2_500 }))
      .at(3.5, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 3_500 }))
      .at(3.7, (call) => call.emitFinal(0.5, 3.5, 'I want a table, for four people.'))
      .runUntil(10);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      'I want a table',
      'I want a table, for four people.',
    ]);
  });

  it('without words is noise and gets no answer', () => {
    const call = new Simulation({ agent: {} })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .at(1.3, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 1_300 }))
      .runUntil(1.5);
    expect(call.handle.view().agentState).toBe('userSpeaking');
    call.runUntil(2.1);
    expect(call.handle.view().agentState).toBe('listening');
    expect(call.transcript).toEqual([]);
  });

  it('ends after a bounded time if a noise does not stop', () => {
    const agent = { presence_check_phrases: ['Are you there?'], presence_check_idle_threshold: 3 };
    const call = new Simulation({ agent })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .runUntil(60);
    // The idle threshold is over during the noise.
    const checkMs = 1_000 + NOISE_MS_MAX + VOICE_MS;
    const toMs = checkMs + 'Are you there?'.length * CHARACTER_MS;
    expect(call.heard).toEqual([{ text: 'Are you there?', fromMs: checkMs, toMs }]);
    expect(call.endReason).toBe('silence');
  });

  it('is not changed by noise while the agent thinks', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 1, text: 'Here.' }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .at(1.6, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_600 }))
      .at(1.8, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 1_800 }))
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard.map(({ text }) => text)).toEqual(['Here.']);
    expect(call.cancelledGenerations).toBe(0);
  });

  it('begins with its words if voice activity detection missed it', () => {
    const call = new Simulation({ agent: {} }).at(2, (call) => call.emitFinal(1, 1.8, 'Hello?')).runUntil(10);
    const fromMs = 2_000 + MODEL_MS + VOICE_MS;
    expect(call.heard).toEqual([{ text: 'Yes.', fromMs, toMs: fromMs + YES_MS }]);
    expect(call.transcript[0]).toMatchObject({ startUs: 1_000_000 });
  });

  it('is heard after another one however long the call rang', () => {
    const ANSWER_SECONDS = 30;
    const call = new Simulation({ agent: {}, parameters: { direction: 'outbound' } });
    call.at(ANSWER_SECONDS, () => call.emitControlEvent({ type: 'answered' }));
    for (const [from, spoken] of [
      [1, 'Who is this?'],
      [4, 'What do you want?'],
    ] as const) {
      const to = from + 1;
      call
        .at(ANSWER_SECONDS + from, () => call.media.emit({ type: 'speech_started', audioMs: from * 1000 }))
        .at(ANSWER_SECONDS + to, () => call.media.emit({ type: 'speech_stopped', audioMs: to * 1000 }))
        .at(ANSWER_SECONDS + to + 0.2, () => call.emitFinal(from, to, spoken));
    }
    call.runUntil(ANSWER_SECONDS + 10);
    expect(call.dialogue.filter((text) => text.startsWith('user'))).toEqual([
      'user: Who is this?',
      'user: What do you want?',
    ]);
  });

  it('ends when a transcriber that detects turns reports its end', () => {
    const turn = (phase: 'started' | 'updated' | 'ended', text: string, endMs: number) =>
      ({ type: 'turn', phase, text, startMs: 500, endMs }) as const;
    const call = new Simulation({ agent: {}, parameters: TURN_DETECTING })
      .at(0.6, (call) => call.emitTranscriberEvent(turn('started', 'I', 600)))
      .at(1.2, (call) => call.emitTranscriberEvent(turn('updated', 'I want a', 1_200)))
      .at(2.4, (call) => call.emitTranscriberEvent(turn('ended', 'I want a table.', 2_000)))
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    const fromMs = 2_400 + MODEL_MS + VOICE_MS;
    expect(call.heard).toEqual([{ text: 'Yes.', fromMs, toMs: fromMs + YES_MS }]);
    expect(call.dialogue[0]).toBe('user: I want a table.');
  });
});

describe('the timeout of a final', () => {
  /** Three turns whose finals took 150 ms, then `addTurns`, then a turn whose final never arrives. */
  function callWithFastFinals(addTurns: (call: Simulation) => Simulation = (call) => call): Simulation {
    const call = [1, 4, 7].reduce(
      (call, at) => call.userSpeaks(at, at + 0.5, 'I want it.', { finalAfter: 0.15 }),
      new Simulation({ agent: {} }),
    );
    return addTurns(call)
      .at(13, (call) => call.media.emit({ type: 'speech_started', audioMs: 13_000 }))
      .interimAt(13.4, 13, 'I want it.')
      .at(13.5, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 13_500 }))
      .runUntil(20);
  }
  const LAST_SPEECH_END_MS = 13_500;
  const commitDelayMs = (call: Simulation) =>
    (call.heard.at(-1)?.fromMs ?? 0) - LAST_SPEECH_END_MS - MODEL_MS - VOICE_MS;

  it('follows the latency of this call’s finals, with some margin', () => {
    expect(commitDelayMs(callWithFastFinals())).toBe(250);
  });

  it('grows after a final that came too late, up to the provider’s percentile', () => {
    const withLateFinal = callWithFastFinals((call) =>
      call
        .at(10, (call) => call.media.emit({ type: 'speech_started', audioMs: 10_000 }))
        .interimAt(10.4, 10, 'I want it')
        .at(10.5, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 10_500 }))
        .at(12, (call) => call.emitFinal(10, 10.5, 'I want it.')),
    );
    expect(commitDelayMs(withLateFinal)).toBe(500);
    expect(withLateFinal.modelRequests).toHaveLength(5);
  });
});

it('the agent waits longer after dictated digits, spelling, e-mail and addresses', () => {
  const heardMs = (text: string) =>
    new Simulation({ agent: {} }).userSpeaks(0.5, 1.5, text).runUntil(10).heard[0]?.fromMs;
  for (const text of ['five five three.', 'M U E', 'It is john@']) {
    expect(heardMs(text)).toBe(1_500 + DICTATION_PAUSE_MS + MODEL_MS + VOICE_MS);
  }
  expect(heardMs('I live in 12 Oak Street.')).toBe(1_500 + PLACE_PAUSE_MS + MODEL_MS + VOICE_MS);
});

describe('a DTMF entry', () => {
  const DIGIT_INTERVAL_MS = 200;
  const pressDigits = (call: Simulation, at: number, digits: string) =>
    [...digits].reduce((call, digit, index) => {
      const seconds = at + (index * DIGIT_INTERVAL_MS) / 1000;
      return call.at(seconds, () => call.media.emit({ type: 'dtmf', digit, durationMs: 100 }));
    }, call);

  it('is one turn up to the terminator', () => {
    const call = pressDigits(new Simulation({ agent: {} }), 1, '123#').runUntil(10);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['[pressed the keys 123]']);
    expect(call.heard[0]?.fromMs).toBe(1_000 + 3 * DIGIT_INTERVAL_MS + MODEL_MS + VOICE_MS);
    expect(call.transcript[0]).toMatchObject({ role: 'dtmf', content: '123' });
  });

  it('is one turn after a pause, or with the maximum number of digits', () => {
    const lastDigitMs = 1_000 + DIGIT_INTERVAL_MS;
    const answerMs = (agent: Scenario['agent']) =>
      pressDigits(new Simulation({ agent }), 1, '12').runUntil(10).heard[0]?.fromMs;
    expect(answerMs({})).toBe(lastDigitMs + DTMF_PAUSE_MS + MODEL_MS + VOICE_MS);
    expect(answerMs({ dtmf: { max_digits: 2 } })).toBe(lastDigitMs + MODEL_MS + VOICE_MS);
  });

  it('interrupts the agent', () => {
    const call = pressDigits(new Simulation({ agent: { initial_message: SENTENCE } }), 0.5, '1#').runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual([SENTENCE, 'Yes.']);
    expect(call.heard[0]?.toMs).toBe(500 + DIGIT_INTERVAL_MS);
  });
});

describe('requests of the API', () => {
  it('queue speech until the agent listens', () => {
    const call = new Simulation({ agent: { initial_message: SENTENCE } })
      .at(0.5, (call) => call.handle.post({ type: 'call.say', text: SAY_TEXT, interrupt: false }))
      .runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual([SENTENCE, SAY_TEXT]);
    expect(call.modelRequests).toEqual([]);
  });

  it('interrupt the agent if they ask for that', () => {
    const call = new Simulation({ agent: { initial_message: SENTENCE } })
      .at(0.5, (call) => call.handle.post({ type: 'call.say', text: SAY_TEXT, interrupt: true }))
      .runUntil(10);
    expect(call.heard).toEqual([
      { text: SENTENCE, fromMs: VOICE_MS, toMs: 500 },
      { text: SAY_TEXT, fromMs: 500 + VOICE_MS, toMs: 500 + VOICE_MS + SAY_TEXT.length * CHARACTER_MS },
    ]);
    expect(call.modelRequests).toEqual([]);
  });

  it('add context for the model', () => {
    const call = new Simulation({ agent: {} })
      .at(0.5, (call) => call.handle.post({ type: 'call.context', content: 'The shop closes at six.' }))
      .userSpeaks(1, 2, 'When do you close?')
      .runUntil(5);
    expect(call.modelRequests[0]?.messages[0]?.content).toContain('- The shop closes at six.');
  });
});

describe('a transfer', () => {
  const tool = {
    type: 'transfer_call' as const,
    name: 'desk',
    destination: '+4930111111',
    filler_sentence: 'One moment.',
  };
  const scenario = (toolChanges: object = {}) => ({
    agent: { states: [{ name: 'start', tools: [{ ...tool, ...toolChanges }] }] },
    model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Nobody is there.' }],
  });

  it('begins after its filler was played, and the agent continues if it fails', () => {
    const call = new Simulation(scenario()).userSpeaks(0.5, 1, 'The desk please.').runUntil(3);
    expect(call.commands.find(({ type }) => type === 'call.transfer')).toMatchObject({
      request: { destination: '+4930111111', mode: 'refer' },
    });
    expect(call.handle.view().agentState).toBe('transferring');
    call.emitControlEvent({ type: 'transfer_failed', reason: 'busy' });
    call.runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['One moment.', 'Nobody is there.']);
    expect(call.modelRequests[1]?.messages.at(-1)?.content).toContain('busy');
    expect(call.endReason).toBeNull();
  });

  it('ends the call if it succeeds', () => {
    const call = new Simulation(scenario()).userSpeaks(0.5, 1, 'The desk please.').runUntil(3);
    call.emitControlEvent({ type: 'transfer_succeeded' });
    call.runUntil(10);
    expect(call.endReason).toBe('transferred');
  });

  it('never dials a number that only the user’s words chose', () => {
    const scenarioWithNumber = { ...scenario({ destination: '{{number}}' }), extractions: [{ number: '+9991234567' }] };
    scenarioWithNumber.agent.states[0] = {
      ...scenarioWithNumber.agent.states[0],
      variables: [{ name: 'number' }],
    } as never;
    const call = new Simulation({
      ...scenarioWithNumber,
      model: [{ text: 'Which?' }, { toolCalls: [{ name: 'desk' }] }, { text: 'I cannot.' }],
    })
      .userSpeaks(0.5, 1, 'Call +9991234567.')
      .userSpeaks(4, 5, 'Now please.')
      .runUntil(12);
    expect(call.commands.some(({ type }) => type === 'call.transfer')).toBe(false);
    expect(call.modelRequests[2]?.messages.at(-1)?.content).toContain('not allowed');
  });
});
