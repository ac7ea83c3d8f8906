import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
const STATES = [{ name: 'start', tools: [LOOKUP] }];

describe('what the user says', () => {
  it('while a function runs is answered with its result, which is asked for once', () => {
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
    // Asked at 1.2 s, called at 1.3 s, answered at 5.3 s.
    expect(call.heard).toEqual([{ text: 'Both.', fromMs: 5_600, toMs: 5_850 }]);
  });

  it('between two steps of tools drops the second request, and keeps the first one’s result', () => {
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
    expect(call.modelRequests[2]?.messages.slice(1).map((one) => [one.role, one.content])).toEqual([
      ['user', 'Book it.'],
      ['assistant', ''],
      ['tool', 'first'],
      ['user', 'Forget about it.'],
    ]);
    expect(call.heard.map(({ text }) => text)).toEqual(['Fine.']);
  });

  it('over a filler cuts the filler and not the function', () => {
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

describe('a sentence of a reply that was dropped', () => {
  it('is never said in the next turn, however late its audio comes', () => {
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

describe('an order to say something', () => {
  const agent = { initial_message: 'One two three four five six.', initial_message_interruptible: false };

  it('at once waits for the end of a message that is not to be interrupted', () => {
    const call = new Simulation({ agent })
      .at(0.5, (one) => one.handle.post({ type: 'call.say', text: 'By the way.', interrupt: true }))
      .runUntil(10);
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 1_600 },
      { text: 'By the way.', fromMs: 1_800, toMs: 2_350 },
    ]);
    expect(call.commands.some(({ type }) => type === 'playout.clear')).toBe(false);
  });

  it('at once does not cut the user short', () => {
    const call = new Simulation({ agent: {} })
      .userSpeaks(0.5, 1.5, 'I want a table.')
      .at(1, (one) => one.handle.post({ type: 'call.say', text: 'By the way.', interrupt: true }))
      .runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['Yes.', 'By the way.']);
  });

  it('at once is said where users may not interrupt', () => {
    const call = new Simulation({ agent: { initial_message: 'One two three four five six.', interruptions: false } })
      .at(0.5, (one) => one.handle.post({ type: 'call.say', text: 'By the way.', interrupt: true }))
      .runUntil(10);
    expect(call.heard[0]?.toMs).toBe(500);
    expect(call.heard[1]?.text).toBe('By the way.');
  });
});

describe('keys', () => {
  const press = (call: Simulation, at: number, digits: string) =>
    [...digits].reduce(
      (one, digit, index) => one.at(at + index * 0.2, () => one.media.emit({ type: 'dtmf', digit, durationMs: 100 })),
      call,
    );
  const agent = { initial_message: 'One two three four five six.', dtmf: { pause: 1, max_digits: 4 } };

  it.each([
    // Keys from 0.4 s on; when the agent is cut, and when the answer is heard.
    ['the terminator', '12#', 800, 1_100],
    ['a pause', '12', 1_600, 1_900],
    ['the greatest number', '1234', 1_000, 1_300],
  ])('ended by %s cut the agent at that very moment', (_, digits, cutMs, answerMs) => {
    const call = press(new Simulation({ agent }), 0.4, digits).runUntil(10);
    expect(call.heard.map(({ toMs }) => toMs)[0]).toBe(cutMs);
    expect(call.heard.at(-1)).toMatchObject({ text: 'Yes.', fromMs: answerMs });
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      `[pressed the keys ${digits.replace('#', '')}]`,
    ]);
  });

  it.each(['12#', '12', '1234'])('%s wait for the end of an agent that is not to be interrupted', (digits) => {
    const call = press(new Simulation({ agent: { ...agent, interruptions: false } }), 0.4, digits).runUntil(10);
    expect(call.heard.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [200, 1_600],
      [1_900, 2_100],
    ]);
    expect(call.modelRequests).toHaveLength(1);
  });

  it('a terminator alone is no turn, and an entry is never answered before its end', () => {
    const alone = press(new Simulation({ agent: {} }), 1, '#').runUntil(10);
    expect(alone.modelRequests).toEqual([]);
    const slow = new Simulation({ agent: { dtmf: { pause: 3 } } });
    for (const at of [1, 3.9, 6.8]) press(slow, at, '5');
    slow.runUntil(9.7);
    expect(slow.modelRequests).toEqual([]);
    slow.runUntil(9.81);
    expect(slow.modelRequests[0]?.messages.at(-1)?.content).toBe('[pressed the keys 555]');
  });
});

describe('silence is not counted', () => {
  const TRANSFER = { type: 'transfer_call' as const, name: 'desk', destination: '+4930111111' };
  const agent = {
    presence_check_phrases: ['Are you there?'],
    presence_check_idle_threshold: 3,
    states: [{ name: 'start', tools: [LOOKUP, TRANSFER, { type: 'wait' as const, name: 'wait', duration: 8 }] }],
  };
  /** When the first check is heard, 0.2 s after it is asked. */
  const checkedMs = (call: Simulation) => call.runUntil(40).heard.find(({ text }) => text === 'Are you there?')?.fromMs;

  it('while the user speaks', () => {
    const call = new Simulation({ agent })
      .at(2, (one) => one.media.emit({ type: 'speech_started', audioMs: 2_000 }))
      .at(2.1, (one) => one.emitTranscriberEvent({ type: 'interim', text: 'Well', startMs: 2_000, endMs: 2_100 }))
      .interimAt(5, 2, 'Well I do not')
      .at(6, (one) => one.media.emit({ type: 'speech_stopped', audioMs: 6_000 }))
      .at(6.2, (one) => one.emitFinal(2, 6, 'Well, I do not know.'));
    // Answered at 6.5 s until 6.7 s.
    expect(checkedMs(call)).toBe(9_900);
  });

  it('while the agent speaks', () => {
    const call = new Simulation({ agent: { ...agent, initial_message: 'x'.repeat(100) } });
    expect(checkedMs(call)).toBe(200 + 5_000 + 3_200);
  });

  it('while a function runs', () => {
    const call = new Simulation({
      agent,
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Done.' }],
      tools: { lookup: { after: 15, result: {} } },
    }).userSpeaks(0.5, 1, 'Go.');
    // Called at 1.3 s, its result at 16.3 s, «Done.» from 16.6 to 16.85 s.
    expect(checkedMs(call)).toBe(20_050);
  });

  it('while the call is on hold', () => {
    const call = new Simulation({ agent })
      .at(1, (one) => one.emitControlEvent({ type: 'on_hold' }))
      .at(20, (one) => one.emitControlEvent({ type: 'off_hold' }));
    expect(checkedMs(call)).toBe(23_200);
  });

  it('while the user is being transferred', () => {
    const call = new Simulation({
      agent,
      model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Busy.' }],
      transfer: { after: 15, succeeds: false },
    }).userSpeaks(0.5, 1, 'The desk please.');
    // Ordered at 1.3 s, failed at 16.3 s, «Busy.» from 16.6 to 16.85 s.
    expect(checkedMs(call)).toBe(20_050);
  });

  it('while keys are being pressed', () => {
    const call = new Simulation({ agent: { ...agent, dtmf: { pause: 10 } } }).at(2, (one) =>
      one.media.emit({ type: 'dtmf', digit: '1', durationMs: 100 }),
    );
    // The entry ends at 12 s, «Yes.» is heard from 12.3 to 12.5 s.
    expect(checkedMs(call)).toBe(15_700);
  });

  it('while the agent was asked to wait', () => {
    const call = new Simulation({ agent, model: [{ toolCalls: [{ name: 'wait' }] }] }).userSpeaks(0.5, 1, 'A moment.');
    expect(checkedMs(call)).toBe(1_300 + 8_000 + 200);
  });

  it('over the agent’s own voice: a check never begins while something is heard', () => {
    const call = new Simulation({
      agent: { ...agent, initial_message: 'Hello.', initial_message_delay: 2.9 },
    }).runUntil(40);
    const [greeting, check] = call.heard;
    expect(greeting?.text).toBe('Hello.');
    expect((check?.fromMs ?? 0) - (greeting?.toMs ?? 0)).toBe(3_200);
  });
});

describe('the way back to listening', () => {
  it('from a playout that sends nothing', () => {
    const call = new Simulation({ agent: { initial_message: 'One two three four five six.' } })
      .at(0.5, (one) => one.media.pause())
      .userSpeaks(6, 7, 'Hello, are you there?')
      .at(5, (one) => {
        expect(one.handle.view().agentState).toBe('listening');
        one.media.resume();
      })
      .runUntil(12);
    // What was heard of it was 0.3 of 1.4 s.
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard.at(-1)?.text).toBe('Yes.');
    expect(call.logs).toContain('error: the playout did not go on in time; the agent listens again');
  });

  it('from a function that never answers', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [{ ...LOOKUP, timeout: 2 }] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Sorry.' }],
      tools: { lookup: { after: 500, result: {} } },
    })
      .userSpeaks(0.5, 1, 'Go.')
      .runUntil(10);
    // 2 s and 2 s for the runner, from 1.3 s on.
    expect(call.heard).toEqual([{ text: 'Sorry.', fromMs: 5_600, toMs: 5_900 }]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('from a transfer of which nothing is ever heard', () => {
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

  it('from a model that stalls in mid-answer is asking once more, or saying so', () => {
    const call = new Simulation({ agent: {}, model: [{ stalls: true }, { text: 'Here.' }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .runUntil(20);
    // 3 s and 10 s from 1.2 s on.
    expect(call.heard).toMatchObject([
      { text: 'One moment, please.', fromMs: 4_400 },
      { text: 'Here.', fromMs: 11_500, toMs: 11_750 },
    ]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('from words that never become final, and from activity that never ends', () => {
    const call = new Simulation({ agent: {} })
      .at(1, (one) => one.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .interimAt(1.8, 1, 'I want a table')
      .runUntil(20);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['I want a table']);
    // 5 s after the last word, and the time of model and voice.
    expect(call.heard[0]?.fromMs).toBe(7_100);
    expect(call.handle.view().agentState).toBe('listening');
  });
});

describe('keys and words of the user', () => {
  const press = (call: Simulation, at: number, digits: string) =>
    [...digits].reduce(
      (one, digit) => one.at(at, () => one.media.emit({ type: 'dtmf', digit, durationMs: 100 })),
      call,
    );
  const asked = (call: Simulation) => call.modelRequests.map(({ messages }) => messages.at(-1)?.content);

  it('are one turn, in the order in which they came, and answered once', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 2, text: 'Thank you.' }] });
    press(call.userSpeaks(0.5, 1.5, 'My number is', { endOfTurn: false }), 2, '407#').runUntil(20);
    expect(asked(call)).toEqual(['My number is [pressed the keys 407]']);
    expect(call.heard.map(({ text }) => text)).toEqual(['Thank you.']);
  });

  it('are not taken for words where those are the agent’s own, heard again', () => {
    const call = new Simulation({ agent: { initial_message: 'Press a key on your phone, please.' } });
    press(call.interimAt(1.1, 0.6, 'a key on your'), 1.5, '4#').runUntil(20);
    expect(asked(call)).toEqual(['[pressed the keys 4]']);
  });

  it.each([
    ['in its pause', { initial_message: 'From one to five?' }, '5'],
    ['behind a message that is not to be interrupted', { initial_message_interruptible: false }, '5#'],
  ])('are kept where the user hangs up %s, and read', (_, given, digits) => {
    const agent = {
      initial_message: 'One two three four five six seven eight nine ten.',
      variables: [{ name: 'mark' }],
    };
    const call = new Simulation({ agent: { ...agent, ...given }, extractions: [{ mark: '5' }] })
      .userSpeaks(1.5, 1.9, 'Well', { endOfTurn: false })
      .hangUpAt(2.2);
    press(call, 2, digits).runUntil(20);
    expect(call.transcript.filter(({ role }) => role === 'dtmf').map(({ content }) => content)).toEqual(['5']);
    expect(call.journalEntries('variable').at(-1)).toMatchObject({ name: 'mark', value: '5' });
    expect(call.extractionRequests).toHaveLength(1);
  });
});
