import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { Simulation } from '../simulation/simulation.ts';

describe('presence', () => {
  const agent = {
    initial_message: 'Hello.',
    presence_check_phrases: ['Are you there?', 'Hello?'],
    presence_check_idle_threshold: 3,
    presence_check_max_times: 2,
  };

  it('is counted from the end of the playout, asks as often as it may, and ends the call as silence', () => {
    const call = new Simulation({ agent }).runUntil(60);
    expect(call.heard).toEqual([
      { text: 'Hello.', fromMs: 200, toMs: 500 },
      { text: 'Are you there?', fromMs: 3_700, toMs: 4_400 },
      { text: 'Hello?', fromMs: 7_600, toMs: 7_900 },
    ]);
    expect(call.endReason).toBe('silence');
    expect(call.journalEntries('ended')[0]?.atUs).toBe(10_920_000);
    expect(call.clock.pending).toBe(0);
  });

  it('begins again once the user has spoken', () => {
    const call = new Simulation({ agent, voice: { characterMs: 10 } }).userSpeaks(5, 6, 'Here I am.').runUntil(60);
    expect(call.heard.map(({ text }) => text)).toEqual([
      'Hello.',
      'Are you there?',
      'Yes.',
      'Are you there?',
      'Hello?',
    ]);
  });

  it('is not asked while a function runs or the user is on hold', () => {
    const tool = { type: 'custom_function' as const, name: 'slow', url: 'https://example.com' };
    const running = new Simulation({
      agent: { ...agent, initial_message: '', states: [{ name: 'start', tools: [tool] }] },
      model: [{ toolCalls: [{ name: 'slow' }] }, { text: 'Done.' }],
      tools: { slow: { after: 15, result: {} } },
    })
      .userSpeaks(0.5, 1, 'Go.')
      .runUntil(19);
    expect(running.heard.map(({ text }) => text)).toEqual(['One moment please, I am still on it.', 'Done.']);
    const held = new Simulation({ agent }).at(1, (call) => call.emitControlEvent({ type: 'on_hold' })).runUntil(30);
    expect(held.heard.map(({ text }) => text)).toEqual(['Hello.']);
    held.at(31, (call) => call.emitControlEvent({ type: 'off_hold' })).runUntil(35);
    expect(held.heard.at(-1)).toEqual({ text: 'Are you there?', fromMs: 34_200, toMs: 34_900 });
  });

  it('is put off by a wait', () => {
    const call = new Simulation({
      agent: {
        ...agent,
        initial_message: '',
        states: [{ name: 'start', tools: [{ type: 'wait', name: 'wait', duration: 20 }] }],
      },
      model: [{ toolCalls: [{ name: 'wait' }] }],
    })
      .userSpeaks(0.5, 1, 'One moment please.')
      .runUntil(30);
    expect(call.heard[0]).toMatchObject({ text: 'Are you there?', fromMs: 21_500 });
    expect(call.modelRequests).toHaveLength(1);
  });
});

describe('the end of a call', () => {
  it('comes after its longest duration', () => {
    const call = new Simulation({ agent: { max_call_duration: 10 } }).runUntil(20);
    expect(call.endReason).toBe('max_duration');
    expect(call.journalEntries('ended')[0]?.atUs).toBe(10_020_000);
  });

  it('cuts what was being said to what was heard, and says nothing after it', () => {
    const call = new Simulation({ agent: { initial_message: 'One two three four five six.' } })
      .hangUpAt(1)
      .runUntil(20);
    expect(call.dialogue).toEqual(['agent: One two three']);
    expect(call.heard).toHaveLength(1);
    expect(call.endReason).toBe('caller_hangup');
    expect(call.media.usesAfterClose).toBe(0);
    expect(call.journal.at(-1)?.type).toBe('ended');
    expect(call.commands.at(-1)).toEqual({ type: 'call.close' });
  });

  it('keeps the words of a turn that was not over, and waits for their extraction', () => {
    const call = new Simulation({ agent: { variables: [{ name: 'name' }] }, extractions: [{ name: 'Ada' }] })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .interimAt(1.8, 1, 'My name is Ada')
      .hangUpAt(2)
      .runUntil(20);
    expect(call.dialogue).toEqual(['user: My name is Ada']);
    expect(call.journalEntries('variable').at(-1)).toMatchObject({ name: 'name', value: 'Ada' });
    expect(call.journalEntries('variables_resolved')).toHaveLength(1);
    expect(call.journalEntries('ended')[0]?.atUs).toBe(2_000_000);
  });

  it('is ordered by the API, once', () => {
    const call = new Simulation({ agent: {} })
      .at(1, (call) => call.handle.post({ type: 'call.terminate', reason: 'terminated' }))
      .at(1.01, (call) => call.handle.post({ type: 'call.terminate', reason: 'shutdown' }))
      .hangUpAt(1.015)
      .runUntil(5);
    expect(call.journalEntries('ended').map(({ reason }) => reason)).toEqual(['terminated']);
    call.handle.post({ type: 'call.say', text: 'More.', interrupt: true });
    expect(call.handle.view()).toMatchObject({ lifecycle: 'ended', agentState: 'over', endReason: 'terminated' });
  });

  it.each([
    ['remote_cancel', 'canceled'],
    ['busy', 'busy'],
    ['no_answer', 'no_answer'],
    ['rejected', 'rejected'],
    ['sip_error', 'sip_error'],
  ] as const)('before the answer, as %s, is %s', (cause, reason) => {
    const call = new Simulation({ agent: {}, parameters: { direction: 'outbound' } })
      .at(1, (call) => call.emitControlEvent({ type: 'ended', cause }))
      .runUntil(5);
    expect(call.endReason).toBe(reason);
  });
});

describe('a provider that fails', () => {
  it('is asked once more where nothing was said', () => {
    const call = new Simulation({ agent: {}, model: [{ failsWith: { retryable: true } }, { text: 'Here.' }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['Here.']);
  });

  it('ends the call after an apology', () => {
    const call = new Simulation({
      agent: { on_provider_failure: { message: 'Please call later.' } },
      model: [{ failsWith: { retryable: true } }, { failsWith: { retryable: true } }],
    })
      .userSpeaks(0.5, 1, 'Hello?')
      .runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['Please call later.']);
    expect(call.endReason).toBe('llm_error');
  });

  it('and one that stays silent is given up', () => {
    const call = new Simulation({ agent: {}, model: [{ stalls: true }, { stalls: true }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .runUntil(60);
    expect(call.endReason).toBe('llm_error');
    expect(call.modelRequests).toHaveLength(2);
  });

  it('is asked once more where it answered with nothing, and no more in that turn', () => {
    const once = new Simulation({ agent: {}, model: [{ text: '' }, { text: 'Here.' }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .runUntil(10);
    expect(once.heard.map(({ text }) => text)).toEqual(['Here.']);
    const twice = new Simulation({ agent: {}, model: [{ text: '' }, { text: '' }, { text: 'Too late.' }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .runUntil(30);
    expect(twice.endReason).toBeNull();
    expect(twice.heard.map(({ text }) => text)).not.toContain('Too late.');
    expect(twice.modelRequests).toHaveLength(2);
  });

  it('cannot apologise where it is the voice', () => {
    const failing = new Simulation({ agent: { initial_message: 'Hello.' }, voice: { fails: 'always' } }).runUntil(20);
    expect(failing.endReason).toBe('voice_error');
    const silent = new Simulation({ agent: { initial_message: 'Hello.' }, voice: { stalls: true } }).runUntil(60);
    expect(silent.endReason).toBe('voice_error');
  });

  it('ends the call as transcriber_error where it hears', () => {
    const error = { provider: 'test', code: 'closed', message: '', retryable: true } as const;
    const call = new Simulation({ agent: { initial_message: 'Hello.' } })
      .at(2, (call) => call.emitTranscriberEvent({ type: 'failed', error: { ...error, retryable: false } }))
      .runUntil(30);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.heard.at(-1)?.text).toContain('Goodbye.');
  });
});

describe('calls beside each other', () => {
  it('do not see each other’s variables', () => {
    const clock = new SimulatedClock();
    const agent = {
      initial_message: 'Hello {{name}}.',
      variables: [{ name: 'name' }, { name: 'size', type: 'integer' as const }],
    };
    const compiled = compileAgent(agentWith(agent));
    const one = new Simulation(
      { agent, parameters: { dynamicVariables: { name: 'Ada' } }, extractions: [{ size: 4 }] },
      compiled,
      clock,
    );
    const two = new Simulation(
      { agent, parameters: { dynamicVariables: { name: 'Bo' } }, extractions: [{ size: 2 }] },
      compiled,
      clock,
    );
    one.userSpeaks(2, 3, 'We are four.');
    two.userSpeaks(2, 3, 'We are two.');
    clock.runUntil(10_000);
    const values = (call: Simulation) => new Map(call.handle.view().variables.map(({ name, value }) => [name, value]));
    expect([values(one).get('name'), values(one).get('size')]).toEqual(['Ada', 4]);
    expect([values(two).get('name'), values(two).get('size')]).toEqual(['Bo', 2]);
    expect(one.heard[0]?.text).toBe('Hello Ada.');
    expect(two.heard[0]?.text).toBe('Hello Bo.');
  });

  it('outlive one whose rules throw', () => {
    const clock = new SimulatedClock();
    const agent = { initial_message: 'Hello.' };
    const broken = agentWith(agent);
    // A getter that throws stands for any fault of a rule: it is read while the machine moves.
    Object.defineProperty(broken, 'interruptions', {
      get: () => {
        throw new Error('injected');
      },
    });
    const bad = new Simulation({ agent }, compileAgent(broken), clock);
    const good = new Simulation({ agent }, compileAgent(agentWith(agent)), clock);
    for (const call of [bad, good]) call.userSpeaks(0.3, 0.6, 'Stop right there.');
    clock.runUntil(10_000);
    expect(bad.journalEntries('ended').map(({ reason }) => reason)).toEqual(['internal_error']);
    expect(bad.commands.slice(-4).map(({ type }) => type)).toEqual([
      'log',
      'call.hang_up',
      'journal.write',
      'call.close',
    ]);
    expect(bad.handle.view()).toMatchObject({ lifecycle: 'ended', endReason: 'internal_error' });
    expect(bad.media.closed).toBe(true);
    expect(good.endReason).toBeNull();
    expect(good.modelRequests).toHaveLength(1);
  });
});

describe('names that users choose', () => {
  it.each(['__proto__', 'constructor', 'a.b', '#x', '`', '😀', 'toString'])('may be %s', (name) => {
    const call = new Simulation({
      agent: {
        states: [
          {
            name: 'start',
            transitions: [{ condition: 'always', destination_state_name: name }],
            variables: [{ name: '__proto__' }],
          },
          { name, prompt: 'You are there.' },
        ],
      },
      parameters: { dynamicVariables: { constructor: 'x' } },
      extractions: [JSON.parse('{"__proto__": "seen"}')],
      model: [{ toolCalls: [{ name: name === 'a.b' ? 'go_to_a_b' : wayTo(name) }] }, { text: 'Here.' }],
    })
      .userSpeaks(0.5, 1, 'Go on.')
      .runUntil(10);
    expect(call.handle.view().state).toBe(name);
    expect(call.modelRequests[1]?.messages[0]?.content).toContain('You are there.');
    expect(call.journalEntries('variable').map((entry) => [entry.name, entry.value])).toContainEqual([
      '__proto__',
      'seen',
    ]);
    expect(Object.prototype).not.toHaveProperty('seen');
  });
});

/** Names that hold no letter are told by their number. */
function wayTo(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return slug === '' ? 'go_to_1' : `go_to_${slug}`;
}

describe('the voice', () => {
  const opened = (agent: ConstructorParameters<typeof Simulation>[0]['agent']) =>
    new Simulation({ agent })
      .runUntil(1)
      .commands.flatMap((command) => (command.type === 'voice.open' ? command.options : []));

  it("is opened with the agent's pronunciation dictionary, where it has one", () => {
    const pronunciations = [{ from: 'Nguyen', to: 'win' }];
    expect(opened({ pronunciations })).toMatchObject([{ pronunciations }]);
    expect(opened({})[0]).not.toHaveProperty('pronunciations');
  });
});
