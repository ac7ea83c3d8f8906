import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
const STATES = [{ name: 'start', tools: [LOOKUP] }];

describe('the user’s words', () => {
  it('during a tool run are answered together with its result, and the tool runs once', () => {
    const call = new Simulation({
      agent: { states: STATES },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Both.' }],
      tools: { lookup: { after: 4, result: { content: 'done' } } },
    })
      .userSpeaks(0.5, 1, 'Book it.')
      .userSpeaks(2, 3, 'And for two please.')
      .runUntil(12);
    expect(call.toolRuns).toHaveLength(1);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.modelRequests[1]?.messages.slice(1).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
    // The turn is committed at 1.2 s, the tool is called at 1.3 s and its result comes at 5.3 s.
    expect(call.heard).toEqual([{ text: 'Both.', fromMs: 5_600, toMs: 5_850 }]);
  });

  it('between two tool calls drop the second model request, and keep the first result', () => {
    const call = new Simulation({
      agent: { states: STATES },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { after: 5, toolCalls: [{ name: 'lookup' }] }, { text: 'Fine.' }],
      tools: { lookup: { after: 0.3, result: { content: 'first' } } },
    })
      .userSpeaks(0.5, 1, 'Book it.')
      .userSpeaks(2, 3, 'Forget about it.')
      .runUntil(12);
    expect(call.toolRuns).toHaveLength(1);
    expect(call.cancelledGenerations).toBe(1);
    expect(call.modelRequests[2]?.messages.slice(1).map((message) => [message.role, message.content])).toEqual([
      ['user', 'Book it.'],
      ['assistant', ''],
      ['tool', 'first'],
      ['user', 'Forget about it.'],
    ]);
    expect(call.heard.map(({ text }) => text)).toEqual(['Fine.']);
  });

  it('interrupt a filler, but not its tool', () => {
    const call = new Simulation({
      agent: {
        states: [{ name: 'start', tools: [{ ...LOOKUP, filler_sentence: 'One moment, I am looking it up.' }] }],
      },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Fine.' }],
      tools: { lookup: { after: 3, result: { content: 'found' } } },
    })
      .userSpeaks(0.5, 1, 'Book it.')
      .userSpeaks(1.8, 2.6, 'Make it two please.')
      .runUntil(12);
    expect(call.heard.map(({ text, toMs }) => [text, toMs])[0]).toEqual(['One moment, I am looking it up.', 1_800]);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.modelRequests[1]?.messages.find(({ role }) => role === 'tool')?.content).toBe('found');
    expect(call.heard.at(-1)?.text).toBe('Fine.');
  });
});

describe('a sentence of a dropped reply', () => {
  it('is never played in the next turn, even if its audio arrives late', () => {
    const call = new Simulation({
      agent: {},
      model: [{ text: 'Stale sentence one. Stale sentence two.' }, { text: 'Fresh.' }],
      voice: { after: 1.5 },
    })
      .userSpeaks(0.5, 1, 'Hello?')
      .userSpeaks(1.8, 2.6, 'No, something else.')
      .runUntil(12);
    expect(call.heard.map(({ text }) => text)).toEqual(['Fresh.']);
    expect(call.dialogue).toEqual(['user: Hello?', 'user: No, something else.', 'agent: Fresh.']);
  });
});

describe('a say request', () => {
  const agent = { initial_message: 'One two three four five six.', initial_message_interruptible: false };

  it('waits for the end of an uninterruptible message, even with `interrupt`', () => {
    const call = new Simulation({ agent })
      .at(0.5, (call) => call.handle.post({ type: 'call.say', text: 'By the way.', interrupt: true }))
      .runUntil(10);
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 1_600 },
      { text: 'By the way.', fromMs: 1_800, toMs: 2_350 },
    ]);
    expect(call.commands.some(({ type }) => type === 'playout.clear')).toBe(false);
  });

  it('waits for the end of the user turn, even with `interrupt`', () => {
    const call = new Simulation({ agent: {} })
      .userSpeaks(0.5, 1.5, 'I want a table.')
      .at(1, (call) => call.handle.post({ type: 'call.say', text: 'By the way.', interrupt: true }))
      .runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['Yes.', 'By the way.']);
  });

  it('interrupts the agent even if users may not', () => {
    const call = new Simulation({ agent: { initial_message: 'One two three four five six.', interruptions: false } })
      .at(0.5, (call) => call.handle.post({ type: 'call.say', text: 'By the way.', interrupt: true }))
      .runUntil(10);
    expect(call.heard[0]?.toMs).toBe(500);
    expect(call.heard[1]?.text).toBe('By the way.');
  });
});

describe('a DTMF entry', () => {
  const pressDigits = (call: Simulation, at: number, digits: string) =>
    [...digits].reduce(
      (call, digit, index) =>
        call.at(at + index * 0.2, () => call.media.emit({ type: 'dtmf', digit, durationMs: 100 })),
      call,
    );
  const agent = { initial_message: 'One two three four five six.', dtmf: { pause: 1, max_digits: 4 } };

  it.each([
    // The digits come from 0.4 s on. Columns: end of the entry, digits, end of the agent's speech, start of the answer.
    ['the terminator', '12#', 800, 1_100],
    ['a pause', '12', 1_600, 1_900],
    ['the maximum number of digits', '1234', 1_000, 1_300],
  ])('ended by %s interrupts the agent at once', (_, digits, agentEndMs, answerMs) => {
    const call = pressDigits(new Simulation({ agent }), 0.4, digits).runUntil(10);
    expect(call.heard.map(({ toMs }) => toMs)[0]).toBe(agentEndMs);
    expect(call.heard.at(-1)).toMatchObject({ text: 'Yes.', fromMs: answerMs });
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      `[pressed the keys ${digits.replace('#', '')}]`,
    ]);
  });

  it.each(['12#', '12', '1234'])('%s waits for the end of an uninterruptible agent', (digits) => {
    const call = pressDigits(new Simulation({ agent: { ...agent, interruptions: false } }), 0.4, digits).runUntil(10);
    expect(call.heard.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [200, 1_600],
      [1_900, 2_100],
    ]);
    expect(call.modelRequests).toHaveLength(1);
  });

  it('is no turn if it is only a terminator, and is never answered before its end', () => {
    const terminatorOnly = pressDigits(new Simulation({ agent: {} }), 1, '#').runUntil(10);
    expect(terminatorOnly.modelRequests).toEqual([]);
    const withSlowDigits = new Simulation({ agent: { dtmf: { pause: 3 } } });
    for (const at of [1, 3.9, 6.8]) pressDigits(withSlowDigits, at, '5');
    withSlowDigits.runUntil(9.7);
    expect(withSlowDigits.modelRequests).toEqual([]);
    withSlowDigits.runUntil(9.81);
    expect(withSlowDigits.modelRequests[0]?.messages.at(-1)?.content).toBe('[pressed the keys 555]');
  });
});

describe('the idle time of the presence check is not counted', () => {
  const TRANSFER = { type: 'transfer_call' as const, name: 'desk', destination: '+4930111111' };
  const agent = {
    presence_check_phrases: ['Are you there?'],
    presence_check_idle_threshold: 3,
    states: [{ name: 'start', tools: [LOOKUP, TRANSFER, { type: 'wait' as const, name: 'wait', duration: 8 }] }],
  };
  /** When the first presence check is heard, 0.2 s after its request. */
  const firstCheckMs = (call: Simulation) =>
    call.runUntil(40).heard.find(({ text }) => text === 'Are you there?')?.fromMs;

  it('while the user speaks', () => {
    const call = new Simulation({ agent })
      .at(2, (call) => call.media.emit({ type: 'speech_started', audioMs: 2_000 }))
      .at(2.1, (call) => call.emitTranscriberEvent({ type: 'interim', text: 'Well', startMs: 2_000, endMs: 2_100 }))
      .interimAt(5, 2, 'Well I do not')
      .at(6, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 6_000 }))
      .at(6.2, (call) => call.emitFinal(2, 6, 'Well, I do not know.'));
    // «Yes.» plays from 6.5 s to 6.7 s.
    expect(firstCheckMs(call)).toBe(9_900);
  });

  it('while the agent speaks', () => {
    const call = new Simulation({ agent: { ...agent, initial_message: 'x'.repeat(100) } });
    expect(firstCheckMs(call)).toBe(200 + 5_000 + 3_200);
  });

  it('while a tool runs', () => {
    const call = new Simulation({
      agent,
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Done.' }],
      tools: { lookup: { after: 15, result: {} } },
    }).userSpeaks(0.5, 1, 'Go.');
    // The tool is called at 1.3 s, its result comes at 16.3 s, and «Done.» plays from 16.6 s to 16.85 s.
    expect(firstCheckMs(call)).toBe(20_050);
  });

  it('while the call is on hold', () => {
    const call = new Simulation({ agent })
      .at(1, (call) => call.emitControlEvent({ type: 'on_hold' }))
      .at(20, (call) => call.emitControlEvent({ type: 'off_hold' }));
    expect(firstCheckMs(call)).toBe(23_200);
  });

  it('while the user is being transferred', () => {
    const call = new Simulation({
      agent,
      model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Busy.' }],
      transfer: { after: 15, succeeds: false },
    }).userSpeaks(0.5, 1, 'The desk please.');
    // The transfer begins at 1.3 s and fails at 16.3 s, and «Busy.» plays from 16.6 s to 16.85 s.
    expect(firstCheckMs(call)).toBe(20_050);
  });

  it('while the user enters DTMF digits', () => {
    const call = new Simulation({ agent: { ...agent, dtmf: { pause: 10 } } }).at(2, (call) =>
      call.media.emit({ type: 'dtmf', digit: '1', durationMs: 100 }),
    );
    // The entry ends at 12 s, and «Yes.» plays from 12.3 s to 12.5 s.
    expect(firstCheckMs(call)).toBe(15_700);
  });

  it('during the wait tool', () => {
    const call = new Simulation({ agent, model: [{ toolCalls: [{ name: 'wait' }] }] }).userSpeaks(0.5, 1, 'A moment.');
    expect(firstCheckMs(call)).toBe(1_300 + 8_000 + 200);
  });

  it('during the greeting, so a check never begins over the agent’s own speech', () => {
    const call = new Simulation({
      agent: { ...agent, initial_message: 'Hello.', initial_message_delay: 2.9 },
    }).runUntil(40);
    const [greeting, check] = call.heard;
    expect(greeting?.text).toBe('Hello.');
    expect((check?.fromMs ?? 0) - (greeting?.toMs ?? 0)).toBe(3_200);
  });
});

describe('the agent listens again', () => {
  it('after a playout that sends nothing', () => {
    const call = new Simulation({ agent: { initial_message: 'One two three four five six.' } })
      .at(0.5, (call) => call.media.pause())
      .userSpeaks(6, 7, 'Hello, are you there?')
      .at(5, (call) => {
        expect(call.handle.view().agentState).toBe('listening');
        call.media.resume();
      })
      .runUntil(12);
    // 0.3 s of 1.4 s were played.
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard.at(-1)?.text).toBe('Yes.');
    expect(call.logs).toContain('error: the playout did not go on in time; the agent listens again');
  });

  it('after a tool that never answers', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [{ ...LOOKUP, timeout: 2 }] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Sorry.' }],
      tools: { lookup: { after: 500, result: {} } },
    })
      .userSpeaks(0.5, 1, 'Go.')
      .runUntil(10);
    // From 1.3 s on, 2 s for the tool and 2 s of margin for its runner.
    expect(call.heard).toEqual([{ text: 'Sorry.', fromMs: 5_600, toMs: 5_900 }]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('after a transfer without an outcome', () => {
    const call = new Simulation({
      agent: {
        states: [
          {
            name: 'start',
            tools: [{ type: 'transfer_call', name: 'desk', destination: '+4930111111', ring_timeout: 5 }],
          },
        ],
      },
      model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Nobody answers.' }],
    })
      .userSpeaks(0.5, 1, 'The desk please.')
      .runUntil(60);
    expect(call.heard.map(({ text }) => text)).toEqual(['Nobody answers.']);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('after a model that stalls, with a filler and a second request', () => {
    const call = new Simulation({ agent: {}, model: [{ stalls: true }, { text: 'Here.' }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .runUntil(20);
    // 3 s and 10 s after the commit at 1.2 s.
    expect(call.heard).toMatchObject([
      { text: 'One moment, please.', fromMs: 4_400 },
      { text: 'Here.', fromMs: 11_500, toMs: 11_750 },
    ]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('after words that never become final, and activity that never ends', () => {
    const call = new Simulation({ agent: {} })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .interimAt(1.8, 1, 'I want a table')
      .runUntil(20);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['I want a table']);
    // 5 s after the last word at 1.8 s, plus the latencies of model and voice.
    expect(call.heard[0]?.fromMs).toBe(7_100);
    expect(call.handle.view().agentState).toBe('listening');
  });
});

describe('DTMF digits and words of the user', () => {
  const pressDigits = (call: Simulation, at: number, digits: string) =>
    [...digits].reduce(
      (call, digit) => call.at(at, () => call.media.emit({ type: 'dtmf', digit, durationMs: 100 })),
      call,
    );
  const lastMessages = (call: Simulation) => call.modelRequests.map(({ messages }) => messages.at(-1)?.content);

  it('form one turn in the order of their arrival, and are answered once', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 2, text: 'Thank you.' }] });
    pressDigits(call.userSpeaks(0.5, 1.5, 'My number is', { endOfTurn: false }), 2, '407#').runUntil(20);
    expect(lastMessages(call)).toEqual(['My number is [pressed the keys 407]']);
    expect(call.heard.map(({ text }) => text)).toEqual(['Thank you.']);
  });

  it('form a turn without the agent’s echo', () => {
    const call = new Simulation({ agent: { initial_message: 'Press a key on your phone, please.' } });
    pressDigits(call.interimAt(1.1, 0.6, 'a key on your'), 1.5, '4#').runUntil(20);
    expect(lastMessages(call)).toEqual(['[pressed the keys 4]']);
  });

  it.each([
    ['during the pause of the entry', { initial_message: 'From one to five?' }, '5'],
    ['during an uninterruptible message', { initial_message_interruptible: false }, '5#'],
  ])('are kept for variable extraction if the user hangs up %s', (_, agentChanges, digits) => {
    const agent = {
      initial_message: 'One two three four five six seven eight nine ten.',
      variables: [{ name: 'mark' }],
    };
    const call = new Simulation({ agent: { ...agent, ...agentChanges }, extractions: [{ mark: '5' }] })
      .userSpeaks(1.5, 1.9, 'Well', { endOfTurn: false })
      .hangUpAt(2.2);
    pressDigits(call, 2, digits).runUntil(20);
    expect(call.transcript.filter(({ role }) => role === 'dtmf').map(({ content }) => content)).toEqual(['5']);
    expect(call.journalEntries('variable').at(-1)).toMatchObject({ name: 'mark', value: '5' });
    expect(call.extractionRequests).toHaveLength(1);
  });
});
