import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { HANG_UP_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { Simulation } from '../simulation/simulation.ts';

describe('presence check', () => {
  const IDLE_THRESHOLD_MS = 3_000;
  const agent = {
    initial_message: 'Hello.',
    presence_check_phrases: ['Are you there?', 'Hello?'],
    presence_check_idle_threshold: IDLE_THRESHOLD_MS / 1000,
    presence_check_max_times: 2,
  };

  it('comes after each silence of the threshold, and the call ends after the last one', () => {
    const call = new Simulation({ agent }).runUntil(60);
    const firstCheckMs = 500 + IDLE_THRESHOLD_MS + VOICE_MS;
    const secondCheckMs = firstCheckMs + 700 + IDLE_THRESHOLD_MS + VOICE_MS;
    expect(call.heard).toEqual([
      { text: 'Hello.', fromMs: VOICE_MS, toMs: 500 },
      { text: 'Are you there?', fromMs: firstCheckMs, toMs: firstCheckMs + 700 },
      { text: 'Hello?', fromMs: secondCheckMs, toMs: secondCheckMs + 300 },
    ]);
    expect(call.endReason).toBe('silence');
    const endMs = secondCheckMs + 300 + IDLE_THRESHOLD_MS + HANG_UP_MS;
    expect(call.journalEntries('ended')[0]?.atUs).toBe(endMs * 1000);
    expect(call.clock.pending).toBe(0);
  });

  it('starts its count again after the user has spoken', () => {
    const call = new Simulation({ agent, voice: { characterMs: 10 } }).userSpeaks(5, 6, 'Here I am.').runUntil(60);
    expect(call.heardTexts).toEqual(['Hello.', 'Are you there?', 'Yes.', 'Are you there?', 'Hello?']);
  });

  it('does not come while a tool call runs or the call is on hold', () => {
    const tool = { type: 'custom_function' as const, name: 'slow', url: 'https://example.com' };
    const withRunningTool = new Simulation({
      agent: { ...agent, initial_message: '', states: [{ name: 'start', tools: [tool] }] },
      model: [{ toolCalls: [{ name: 'slow' }] }, { text: 'Done.' }],
      tools: { slow: { after: 15, result: {} } },
    })
      .userSpeaks(0.5, 1, 'Go.')
      .runUntil(19);
    expect(withRunningTool.heardTexts).toEqual([
      'One moment, please.',
      'One moment please, I am still on it.',
      'Done.',
    ]);
    const onHold = new Simulation({ agent }).at(1, (call) => call.emitControlEvent({ type: 'on_hold' })).runUntil(30);
    expect(onHold.heardTexts).toEqual(['Hello.']);
    onHold.at(31, (call) => call.emitControlEvent({ type: 'off_hold' })).runUntil(35);
    const fromMs = 31_000 + IDLE_THRESHOLD_MS + VOICE_MS;
    expect(onHold.heard.at(-1)).toEqual({ text: 'Are you there?', fromMs, toMs: fromMs + 700 });
  });

  it('comes after a `wait` tool call has ended', () => {
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

describe('end of a call', () => {
  it('comes at the maximum duration', () => {
    const call = new Simulation({ agent: { max_call_duration: 10 } }).runUntil(20);
    expect(call.endReason).toBe('max_duration');
    expect(call.journalEntries('ended')[0]?.atUs).toBe((10_000 + HANG_UP_MS) * 1000);
  });

  it('truncates the agent turn to the part that was played, and nothing is spoken after it', () => {
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

  it('keeps the words of an open user turn, and waits for their extraction', () => {
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

  it('comes at the first request of the API; later requests change nothing', () => {
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
  ] as const)('before the answer with cause %s has the reason %s', (cause, reason) => {
    const call = new Simulation({ agent: {}, parameters: { direction: 'outbound' } })
      .at(1, (call) => call.emitControlEvent({ type: 'ended', cause }))
      .runUntil(5);
    expect(call.endReason).toBe(reason);
  });
});

describe('provider failure', () => {
  it('asks the model once more when nothing was spoken', () => {
    const call = new Simulation({ agent: {}, model: [{ failsWith: { retryable: true } }, { text: 'Here.' }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .runUntil(10);
    expect(call.heardTexts).toEqual(['Here.']);
  });

  it('asks the model once more after an empty response, and not again in that turn', () => {
    const emptyOnce = new Simulation({ agent: {}, model: [{ text: '' }, { text: 'Here.' }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .runUntil(10);
    expect(emptyOnce.heardTexts).toEqual(['Here.']);
    const emptyTwice = new Simulation({ agent: {}, model: [{ text: '' }, { text: '' }, { text: 'Too late.' }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .runUntil(30);
    expect(emptyTwice.endReason).toBeNull();
    expect(emptyTwice.heardTexts).not.toContain('Too late.');
    expect(emptyTwice.modelRequests).toHaveLength(2);
  });

  it('ends the call without an apology when the voice fails', () => {
    const failing = new Simulation({ agent: { initial_message: 'Hello.' }, voice: { fails: 'always' } }).runUntil(20);
    expect(failing.endReason).toBe('voice_error');
    const silent = new Simulation({ agent: { initial_message: 'Hello.' }, voice: { stalls: true } }).runUntil(60);
    expect(silent.endReason).toBe('voice_error');
  });

  it('ends the call after an apology when the transcriber fails', () => {
    const error = { provider: 'test', code: 'closed', message: '', retryable: true } as const;
    const call = new Simulation({ agent: { initial_message: 'Hello.' } })
      .at(2, (call) => call.emitTranscriberEvent({ type: 'failed', error: { ...error, retryable: false } }))
      .runUntil(30);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.heard.at(-1)?.text).toContain('Goodbye.');
  });
});

describe('concurrent calls', () => {
  it('have their own variables', () => {
    const clock = new SimulatedClock();
    const agent = {
      initial_message: 'Hello {{name}}.',
      variables: [{ name: 'name' }, { name: 'size', type: 'integer' as const }],
    };
    const compiled = compileAgent(agentWith(agent));
    const adasCall = new Simulation(
      { agent, parameters: { dynamicVariables: { name: 'Ada' } }, extractions: [{ size: 4 }] },
      compiled,
      clock,
    );
    const bosCall = new Simulation(
      { agent, parameters: { dynamicVariables: { name: 'Bo' } }, extractions: [{ size: 2 }] },
      compiled,
      clock,
    );
    adasCall.userSpeaks(2, 3, 'We are four.');
    bosCall.userSpeaks(2, 3, 'We are two.');
    clock.runUntil(10_000);
    const values = (call: Simulation) => new Map(call.handle.view().variables.map(({ name, value }) => [name, value]));
    expect([values(adasCall).get('name'), values(adasCall).get('size')]).toEqual(['Ada', 4]);
    expect([values(bosCall).get('name'), values(bosCall).get('size')]).toEqual(['Bo', 2]);
    expect(adasCall.heard[0]?.text).toBe('Hello Ada.');
    expect(bosCall.heard[0]?.text).toBe('Hello Bo.');
  });

  it('continue after an error in the rules of another call', () => {
    const clock = new SimulatedClock();
    const agent = { initial_message: 'Hello.' };
    const faultyAgent = agentWith(agent);
    // A getter that throws stands for any fault in a rule: the rules read it on a transition.
    Object.defineProperty(faultyAgent, 'interruptions', {
      get: () => {
        throw new Error('injected');
      },
    });
    const faulty = new Simulation({ agent }, compileAgent(faultyAgent), clock);
    const healthy = new Simulation({ agent }, compileAgent(agentWith(agent)), clock);
    for (const call of [faulty, healthy]) call.userSpeaks(0.3, 0.6, 'Stop right there.');
    clock.runUntil(10_000);
    expect(faulty.journalEntries('ended').map(({ reason }) => reason)).toEqual(['internal_error']);
    expect(faulty.commands.slice(-3).map(({ type }) => type)).toEqual(['call.hang_up', 'journal.write', 'call.close']);
    expect(faulty.noticesOf('rule_failed').map(({ error }) => error)).toEqual([
      expect.stringMatching(/^Error: injected\n +at /),
    ]);
    expect(faulty.handle.view()).toMatchObject({ lifecycle: 'ended', endReason: 'internal_error' });
    expect(faulty.media.closed).toBe(true);
    expect(healthy.endReason).toBeNull();
    expect(healthy.modelRequests).toHaveLength(1);
  });
});

describe('names of states and variables', () => {
  it.each(['__proto__', 'constructor', 'a.b', '#x', '`', '😀', 'toString'])('allow «%s»', (name) => {
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
      model: [
        { toolCalls: [{ name: name === 'a.b' ? 'go_to_a_b' : transitionFunctionName(name) }] },
        { text: 'Here.' },
      ],
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

/** A state whose name has no letters or digits goes by its number. */
function transitionFunctionName(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return slug === '' ? 'go_to_1' : `go_to_${slug}`;
}

describe('pronunciation dictionary', () => {
  const voiceOptions = (agent: ConstructorParameters<typeof Simulation>[0]['agent']) =>
    new Simulation({ agent })
      .runUntil(1)
      .commands.flatMap((command) => (command.type === 'voice.open' ? command.options : []));

  it('goes to the voice if the agent has one', () => {
    const pronunciations = [{ from: 'Nguyen', to: 'win' }];
    expect(voiceOptions({ pronunciations })).toMatchObject([{ pronunciations }]);
    expect(voiceOptions({})[0]).not.toHaveProperty('pronunciations');
  });
});
