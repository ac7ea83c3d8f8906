import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

const NATIVE = { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } };

describe('a user’s turn', () => {
  it('that pauses is one turn where it was not finished', () => {
    const call = new Simulation({ agent: {} })
      .userSpeaks(0.5, 1.5, 'I would like a table for', { endOfTurn: false })
      .userSpeaks(2.2, 3, 'four people.')
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.dialogue[0]).toBe('user: I would like a table for four people.');
    expect(call.transcript[0]).toMatchObject({ startUs: 500_000, endUs: 3_000_000 });
  });

  it('is taken without its final where that is late, and the final is not heard a second time', () => {
    const call = new Simulation({ agent: {} })
      .interimAt(1.4, 0.5, 'I want a table')
      .at(0.5, (one) => one.media.emit({ type: 'speech_started', audioMs: 500 }))
      .at(1.5, (one) => one.media.emit({ type: 'speech_stopped', audioMs: 1_500 }))
      .at(4, (one) => one.emitFinal(0.5, 1.5, 'I want a table.'))
      .runUntil(10);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['I want a table']);
    expect(call.dialogue).toEqual(['user: I want a table', 'agent: Yes.']);
  });

  it('that goes on after it was taken adds only the words that are new', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 9, text: 'No.' }, { text: 'Fine.' }] })
      .interimAt(1.4, 0.5, 'I want a table')
      .at(0.5, (one) => one.media.emit({ type: 'speech_started', audioMs: 500 }))
      .at(1.5, (one) => one.media.emit({ type: 'speech_stopped', audioMs: 1_500 }))
      .at(2.5, (one) => one.media.emit({ type: 'speech_started', audioMs: 2_500 }))
      .at(3.5, (one) => one.media.emit({ type: 'speech_stopped', audioMs: 3_500 }))
      .at(3.7, (one) => one.emitFinal(0.5, 3.5, 'I want a table, for four people.'))
      .runUntil(10);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      'I want a table',
      'I want a table for four people.',
    ]);
  });

  it('without words is noise, and nobody answers it', () => {
    const call = new Simulation({ agent: {} })
      .at(1, (one) => one.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .at(1.3, (one) => one.media.emit({ type: 'speech_stopped', audioMs: 1_300 }))
      .runUntil(1.5);
    expect(call.handle.view().agentState).toBe('userSpeaking');
    call.runUntil(2.1);
    expect(call.handle.view().agentState).toBe('listening');
    expect(call.transcript).toEqual([]);
  });

  it('is not begun for ever by a noise that does not end', () => {
    const agent = { presence_check_phrases: ['Are you there?'], presence_check_idle_threshold: 3 };
    const call = new Simulation({ agent })
      .at(1, (one) => one.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .runUntil(60);
    expect(call.heard).toEqual([{ text: 'Are you there?', fromMs: 14_200, toMs: 14_900 }]);
    expect(call.endReason).toBe('silence');
  });

  it('while the agent thinks is waited for, and noise changes nothing', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 1, text: 'Here.' }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .at(1.6, (one) => one.media.emit({ type: 'speech_started', audioMs: 1_600 }))
      .at(1.8, (one) => one.media.emit({ type: 'speech_stopped', audioMs: 1_800 }))
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard.map(({ text }) => text)).toEqual(['Here.']);
    expect(call.cancelledGenerations).toBe(0);
  });

  it('that the local activity missed is heard by its words alone', () => {
    const call = new Simulation({ agent: {} }).at(2, (one) => one.emitFinal(1, 1.8, 'Hello?')).runUntil(10);
    expect(call.heard).toEqual([{ text: 'Yes.', fromMs: 2_300, toMs: 2_500 }]);
    expect(call.transcript[0]).toMatchObject({ startUs: 1_000_000 });
  });

  it('ends when the transcriber says so, where it detects turns', () => {
    const turn = (phase: 'started' | 'updated' | 'ended', text: string, endMs: number) =>
      ({ type: 'turn', phase, text, startMs: 500, endMs }) as const;
    const call = new Simulation({ agent: {}, parameters: NATIVE })
      .at(0.6, (one) => one.emitTranscriberEvent(turn('started', 'I', 600)))
      .at(1.2, (one) => one.emitTranscriberEvent(turn('updated', 'I want a', 1_200)))
      .at(2.4, (one) => one.emitTranscriberEvent(turn('ended', 'I want a table.', 2_000)))
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard).toEqual([{ text: 'Yes.', fromMs: 2_700, toMs: 2_900 }]);
    expect(call.dialogue[0]).toBe('user: I want a table.');
  });
});

describe('the wait for a final', () => {
  /** Three turns whose finals took 150 ms, and a fourth whose final never comes. */
  function learned(more: (call: Simulation) => Simulation = (call) => call): Simulation {
    const call = [1, 4, 7].reduce(
      (one, at) => one.userSpeaks(at, at + 0.5, 'I want it.', { finalAfter: 0.15 }),
      new Simulation({ agent: {} }),
    );
    return more(call)
      .at(13, (one) => one.media.emit({ type: 'speech_started', audioMs: 13_000 }))
      .interimAt(13.4, 13, 'I want it.')
      .at(13.5, (one) => one.media.emit({ type: 'speech_stopped', audioMs: 13_500 }))
      .runUntil(20);
  }
  const takenMs = (call: Simulation) => (call.heard.at(-1)?.fromMs ?? 0) - 13_500 - 300;

  it('is learned from the call: as long as its own finals take, and some slack', () => {
    expect(takenMs(learned())).toBe(250);
  });

  it('grows again with a final that comes after its turn was taken, up to the provider’s percentile', () => {
    const slow = learned((call) =>
      call
        .at(10, (one) => one.media.emit({ type: 'speech_started', audioMs: 10_000 }))
        .interimAt(10.4, 10, 'I want it')
        .at(10.5, (one) => one.media.emit({ type: 'speech_stopped', audioMs: 10_500 }))
        .at(12, (one) => one.emitFinal(10, 10.5, 'I want it.')),
    );
    expect(takenMs(slow)).toBe(500);
    expect(slow.modelRequests).toHaveLength(5);
  });
});

it('a dictation is waited for: digits, spelling, e-mail, address', () => {
  for (const text of ['five five three.', 'M U E', 'It is john@', 'I live in 12 Oak Street.']) {
    const call = new Simulation({ agent: {} }).userSpeaks(0.5, 1.5, text).runUntil(10);
    expect(call.heard[0]?.fromMs).toBe(1_500 + 1_800 + 300);
  }
});

describe('keys', () => {
  const press = (call: Simulation, at: number, digits: string) =>
    [...digits].reduce(
      (one, digit, index) => one.at(at + index * 0.2, () => one.media.emit({ type: 'dtmf', digit, durationMs: 100 })),
      call,
    );

  it('are one turn until the terminator', () => {
    const call = press(new Simulation({ agent: {} }), 1, '123#').runUntil(10);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['[pressed the keys 123]']);
    expect(call.heard[0]?.fromMs).toBe(1_900);
    expect(call.transcript[0]).toMatchObject({ role: 'dtmf', content: '123' });
  });

  it('are one turn after a pause, or when there are as many as there can be', () => {
    expect(press(new Simulation({ agent: {} }), 1, '12').runUntil(10).heard[0]?.fromMs).toBe(4_500);
    expect(press(new Simulation({ agent: { dtmf: { max_digits: 2 } } }), 1, '12').runUntil(10).heard[0]?.fromMs).toBe(
      1_500,
    );
  });

  it('cut the agent short', () => {
    const call = press(
      new Simulation({ agent: { initial_message: 'One two three four five six.' } }),
      0.5,
      '1#',
    ).runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['One two three four five six.', 'Yes.']);
    expect(call.heard[0]?.toMs).toBe(700);
  });
});

describe('orders of the API', () => {
  it('are said when the floor is free', () => {
    const call = new Simulation({ agent: { initial_message: 'One two three four five six.' } })
      .at(0.5, (one) => one.handle.post({ type: 'call.say', text: 'By the way.', interrupt: false }))
      .runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['One two three four five six.', 'By the way.']);
    expect(call.modelRequests).toEqual([]);
  });

  it('cut the agent short where they are to', () => {
    const call = new Simulation({ agent: { initial_message: 'One two three four five six.' } })
      .at(0.5, (one) => one.handle.post({ type: 'call.say', text: 'By the way.', interrupt: true }))
      .runUntil(10);
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 500 },
      { text: 'By the way.', fromMs: 700, toMs: 1_250 },
    ]);
    expect(call.modelRequests).toEqual([]);
  });

  it('tell the model what to know', () => {
    const call = new Simulation({ agent: {} })
      .at(0.5, (one) => one.handle.post({ type: 'call.context', content: 'The shop closes at six.' }))
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
  const scenario = (given: object = {}) => ({
    agent: { states: [{ name: 'start', tools: [{ ...tool, ...given }] }] },
    model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Nobody is there.' }],
  });

  it('is ordered once its filler was heard, and gives the user back where it fails', () => {
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

  it('that succeeds ends the call', () => {
    const call = new Simulation(scenario()).userSpeaks(0.5, 1, 'The desk please.').runUntil(3);
    call.emitControlEvent({ type: 'transfer_succeeded' });
    call.runUntil(10);
    expect(call.endReason).toBe('transferred');
  });

  it('goes to no number that the user’s words alone chose', () => {
    const said = { ...scenario({ destination: '{{number}}' }), extractions: [{ number: '+9991234567' }] };
    said.agent.states[0] = { ...said.agent.states[0], variables: [{ name: 'number' }] } as never;
    const call = new Simulation({
      ...said,
      model: [{ text: 'Which?' }, { toolCalls: [{ name: 'desk' }] }, { text: 'I cannot.' }],
    })
      .userSpeaks(0.5, 1, 'Call +9991234567.')
      .userSpeaks(4, 5, 'Now please.')
      .runUntil(12);
    expect(call.commands.some(({ type }) => type === 'call.transfer')).toBe(false);
    expect(call.modelRequests[2]?.messages.at(-1)?.content).toContain('not allowed');
  });
});
