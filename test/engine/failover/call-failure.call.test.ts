import { describe, expect, it } from 'vitest';
import { checkGraph } from '../../../engine/agent/graph-check.ts';
import { fixedPhrasesOf } from '../../../engine/session/streams/phrases-to-cache.ts';
import { agentOf, type Scenario, Simulation } from '../simulation/simulate.ts';

const FAILS = { fails: { retryable: false } };
const HANDS_OVER = {
  on_provider_failure: { message: 'One of us takes over.', action: 'transfer' as const, destination: '+4930111111' },
};

function failing(agent: object, more: Partial<Scenario> = {}): Simulation {
  return new Simulation({ agent, model: [FAILS], ...more }).callerSpeaks(0.5, 1, 'Hello?').run(60);
}
const PLAIN = ['I am sorry, something went wrong on our side.', 'Please call again a little later.', 'Goodbye.'];
const transfers = (call: Simulation) =>
  call.commands.flatMap((one) => (one.type === 'call.transfer' ? [one.order] : []));

describe('a call whose providers are all gone', () => {
  it('is handed over once the apology was heard, where the agent says so', () => {
    const call = failing(HANDS_OVER, { transfer: { after: 2, succeeds: true } });
    expect(call.heardText).toBe('One of us takes over.');
    expect(transfers(call)).toEqual([
      { destination: '+4930111111', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 },
    ]);
    const orderedUs = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'call.transfer'))?.atUs;
    expect(orderedUs).toBe((call.heard[0]?.toMs ?? 0) * 1000);
    expect(call.endedWith).toBe('transferred');
  });

  it.each([{ after: 2, succeeds: false }, undefined])('ends as what failed where that fails too: %j', (transfer) => {
    const call = failing(HANDS_OVER, transfer === undefined ? {} : { transfer });
    expect(call.endedWith).toBe('llm_error');
    expect(transfers(call)).toHaveLength(1);
    // The apology is said once.
    expect(call.heardText).toBe('One of us takes over.');
    expect(call.entries('tool_called')).toEqual([]);
  });

  it('is bridged where the peer takes no REFER', () => {
    const call = new Simulation({ agent: HANDS_OVER, model: [FAILS] })
      .callerSpeaks(0.5, 1, 'Hello?')
      .at(10, (one) => one.leg({ type: 'transfer_failed', reason: 'refused', refused: true }))
      .at(12, (one) => one.leg({ type: 'transfer_succeeded' }))
      .run(30);
    expect(transfers(call).map(({ mode }) => mode)).toEqual(['refer', 'bridge']);
    expect(call.endedWith).toBe('transferred');
  });

  it('is handed over without a word where no voice is left to say one', () => {
    const call = failing(HANDS_OVER, { voice: { fails: 'always' }, transfer: { after: 2, succeeds: true } });
    expect(call.heard).toEqual([]);
    expect(call.endedWith).toBe('transferred');
  });

  it('says the plain apology where its own message has no voice and that one has a recording', () => {
    const call = failing(
      { on_provider_failure: { message: 'Sorry, {{name}}, we call you back.' } },
      { voice: { only: PLAIN }, parameters: { dynamicVariables: { name: 'Ada' } } },
    );
    expect(call.heardText).toBe(PLAIN.join(' '));
    expect(call.endedWith).toBe('llm_error');
    expect(call.voicesOpened).toHaveLength(2);
  });

  it('says the plain apology where its own message comes to nothing, and none where it is to have none', () => {
    const heard = (message: string) => failing({ on_provider_failure: { message } }).heardText;
    expect(heard('{{unknown}}')).toBe(PLAIN.join(' '));
    expect(heard('')).toBe('');
  });

  it.each([false, true])('tries no more than its own message and the plain apology (hangs: %s)', (silent) => {
    const agent = { on_provider_failure: { message: 'We call you back.' } };
    const call = failing(agent, { voice: silent ? { silent } : { fails: 'always' } });
    const spoken = call.commands.flatMap((one) => (one.type === 'voice.speak' ? [one.text] : []));
    expect(spoken.filter((text) => text === 'We call you back.').length).toBeLessThanOrEqual(2);
    expect(spoken.filter((text) => text === PLAIN[0])).toHaveLength(1);
    expect(call.heard).toEqual([]);
    expect(call.endedWith).toBe('llm_error');
    expect(call.entries('ended')[0]?.atUs).toBeLessThan(15_000_000);
  });

  it('tells which failure ended it, and of no other end', () => {
    const call = failing({});
    expect(call.entries('ended')).toMatchObject([{ reason: 'llm_error', detail: 'test unavailable: no' }]);
    expect(call.logs).toContain('warn: the call cannot go on (llm_error): test unavailable: no');
    const silent = failing({}, { model: [{ silent: true }, { silent: true }] });
    expect(silent.entries('ended')[0]?.detail).toBe('test model timeout: no answer in time');
    const mute = new Simulation({ agent: { initial_message: 'Hello.' }, voice: { silent: true } }).run(60);
    expect(mute.entries('ended')[0]).toMatchObject({ reason: 'voice_error', detail: 'test timeout: no audio in time' });
    const left = new Simulation({ agent: {}, model: [FAILS] })
      .callerSpeaks(0.5, 1, 'Hello?')
      .at(2, (one) => one.leg({ type: 'ended', cause: 'remote_bye' }))
      .run(30);
    expect(left.entries('ended')).toMatchObject([{ reason: 'caller_hangup' }]);
    expect(left.entries('ended')[0]).not.toHaveProperty('detail');
  });

  it('says the apology through the first voice again, which may hold it ready', () => {
    const call = new Simulation({
      agent: { initial_message: 'Hello.', fallbacks: { voice: [{ provider: 'test', name: 'second' }] } },
      voices: {
        voice: {
          only: ['I am sorry, something went wrong on our side.', 'Please call again a little later.', 'Goodbye.'],
        },
        second: { fails: 'always' },
      },
    }).run(30);
    expect(call.voicesOpened.map(({ name }) => name)).toEqual(['voice', 'second', 'voice']);
    expect(call.heardText).toBe(
      'I am sorry, something went wrong on our side. Please call again a little later. Goodbye.',
    );
    expect(call.endedWith).toBe('voice_error');
    expect(call.lines).toHaveLength(1);
  });

  it('lets what was being said be heard first, and does not take the floor back', () => {
    const call = new Simulation({
      agent: HANDS_OVER,
      model: [{ text: 'Let me look that up for you. And', fails: { retryable: false } }],
      transfer: { after: 2, succeeds: true },
    })
      .callerSpeaks(0.5, 1, 'Hello?')
      .callerSpeaks(2, 2.5, 'Stop stop stop.')
      .run(20);
    expect(call.heardText).toBe('Let me look that up for you. One of us takes over.');
    expect(call.endedWith).toBe('transferred');
  });

  it('and whose playout is stuck is handed over all the same', () => {
    const call = new Simulation({ agent: HANDS_OVER, model: [FAILS], transfer: { after: 2, succeeds: true } });
    call.media.play = () => false;
    call.callerSpeaks(0.5, 1, 'Hello?').run(30);
    expect(call.endedWith).toBe('transferred');
  });

  it('hangs up where the destination comes to nothing', () => {
    const call = failing({ on_provider_failure: { action: 'transfer', destination: '{{desk}}' } });
    expect(call.endedWith).toBe('llm_error');
    expect(transfers(call)).toEqual([]);
    expect(call.logs).toContain('warn: the caller cannot be handed over: There is no destination.');
  });
});

describe('the graph check', () => {
  it('wants a destination for a handing over', () => {
    const { faults } = checkGraph(agentOf({ on_provider_failure: { action: 'transfer' } }));
    expect(faults).toEqual([{ path: 'on_provider_failure.destination', message: 'required for the action transfer' }]);
    expect(checkGraph(agentOf(HANDS_OVER)).faults).toEqual([]);
    const { warnings } = checkGraph(agentOf({ on_provider_failure: { action: 'transfer', destination: '{{desk}}' } }));
    expect(warnings.map(({ path }) => path)).toContain('on_provider_failure.destination');
  });
});

describe('the phrases of an agent', () => {
  it('are its fixed texts as they will be said, the apology first', () => {
    const agent = agentOf({
      initial_message: 'Good evening. How may I help?',
      presence_check_phrases: ['Are you there?', 'Hello {{name}}?'],
      states: [
        {
          name: 'start',
          tools: [{ type: 'hang_up', name: 'bye', filler_sentence: 'Goodbye.' }],
          transitions: [{ condition: 'x', destination_state_name: 'start', filler_sentence: 'Right.' }],
        },
      ],
    });
    expect(fixedPhrasesOf(agent)).toEqual([
      'I am sorry, something went wrong on our side.',
      'Please call again a little later.',
      'Goodbye.',
      'Good evening.',
      'How may I help?',
      'One moment, please.',
      'Are you there?',
      'Right.',
    ]);
  });
});
