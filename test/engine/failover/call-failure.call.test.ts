import { describe, expect, it } from 'vitest';
import { checkGraph } from '../../../engine/agent/graph-check.ts';
import { phrasesToCache } from '../../../engine/session/streams/phrases-to-cache.ts';
import { agentWith } from '../simulation/agent-with.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const FAILS = { failsWith: { retryable: false } };
const HANDS_OVER = {
  on_provider_failure: { message: 'One of us takes over.', action: 'transfer' as const, destination: '+4930111111' },
};

function failing(agent: object, more: Partial<Scenario> = {}): Simulation {
  return new Simulation({ agent, model: [FAILS], ...more }).userSpeaks(0.5, 1, 'Hello?').runUntil(60);
}
const PLAIN = ['I am sorry, something went wrong on our side.', 'Please call again a little later.', 'Goodbye.'];
const transfers = (call: Simulation) =>
  call.commands.flatMap((one) => (one.type === 'call.transfer' ? [one.request] : []));

describe('a call whose providers are all gone', () => {
  it('is handed over once the apology was heard, where the agent says so', () => {
    const call = failing(HANDS_OVER, { transfer: { after: 2, succeeds: true } });
    expect(call.heardText).toBe('One of us takes over.');
    expect(transfers(call)).toEqual([
      { destination: '+4930111111', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 },
    ]);
    const orderedUs = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'call.transfer'))?.atUs;
    expect(orderedUs).toBe((call.heard[0]?.toMs ?? 0) * 1000);
    expect(call.endReason).toBe('transferred');
  });

  it.each([{ after: 2, succeeds: false }, undefined])('ends as what failed where that fails too: %j', (transfer) => {
    const call = failing(HANDS_OVER, transfer === undefined ? {} : { transfer });
    expect(call.endReason).toBe('llm_error');
    expect(transfers(call)).toHaveLength(1);
    // The apology is said once.
    expect(call.heardText).toBe('One of us takes over.');
    expect(call.journalEntries('tool_called')).toEqual([]);
  });

  it('is bridged where the peer takes no REFER', () => {
    const call = new Simulation({ agent: HANDS_OVER, model: [FAILS] })
      .userSpeaks(0.5, 1, 'Hello?')
      .at(10, (one) => one.emitControlEvent({ type: 'transfer_failed', reason: 'refused', refused: true }))
      .at(12, (one) => one.emitControlEvent({ type: 'transfer_succeeded' }))
      .runUntil(30);
    expect(transfers(call).map(({ mode }) => mode)).toEqual(['refer', 'bridge']);
    expect(call.endReason).toBe('transferred');
  });

  it('is handed over without a word where no voice is left to say one', () => {
    const call = failing(HANDS_OVER, { voice: { fails: 'always' }, transfer: { after: 2, succeeds: true } });
    expect(call.heard).toEqual([]);
    expect(call.endReason).toBe('transferred');
  });

  it('says the plain apology where its own message has no voice and that one has a recording', () => {
    const call = failing(
      { on_provider_failure: { message: 'Sorry, {{name}}, we call you back.' } },
      { voice: { onlyTexts: PLAIN }, parameters: { dynamicVariables: { name: 'Ada' } } },
    );
    expect(call.heardText).toBe(PLAIN.join(' '));
    expect(call.endReason).toBe('llm_error');
    expect(call.openedVoices).toHaveLength(2);
  });

  it('says the plain apology where its own message comes to nothing, and none where it is to have none', () => {
    const heard = (message: string) => failing({ on_provider_failure: { message } }).heardText;
    expect(heard('{{unknown}}')).toBe(PLAIN.join(' '));
    expect(heard('')).toBe('');
  });

  it.each([false, true])('tries no more than its own message and the plain apology (hangs: %s)', (silent) => {
    const agent = { on_provider_failure: { message: 'We call you back.' } };
    const call = failing(agent, { voice: silent ? { stalls: silent } : { fails: 'always' } });
    const spoken = call.commands.flatMap((one) => (one.type === 'voice.speak' ? [one.text] : []));
    expect(spoken.filter((text) => text === 'We call you back.').length).toBeLessThanOrEqual(2);
    expect(spoken.filter((text) => text === PLAIN[0])).toHaveLength(1);
    expect(call.heard).toEqual([]);
    expect(call.endReason).toBe('llm_error');
    expect(call.journalEntries('ended')[0]?.atUs).toBeLessThan(15_000_000);
  });

  it('tells which failure ended it, and of no other end', () => {
    const call = failing({});
    expect(call.journalEntries('ended')).toMatchObject([{ reason: 'llm_error', detail: 'test unavailable: no' }]);
    expect(call.logs).toContain('warn: the call cannot go on (llm_error): test unavailable: no');
    const silent = failing({}, { model: [{ stalls: true }, { stalls: true }] });
    expect(silent.journalEntries('ended')[0]?.detail).toBe('test model timeout: no answer in time');
    const mute = new Simulation({ agent: { initial_message: 'Hello.' }, voice: { stalls: true } }).runUntil(60);
    expect(mute.journalEntries('ended')[0]).toMatchObject({
      reason: 'voice_error',
      detail: 'test timeout: no audio in time',
    });
    const left = new Simulation({ agent: {}, model: [FAILS] })
      .userSpeaks(0.5, 1, 'Hello?')
      .at(2, (one) => one.emitControlEvent({ type: 'ended', cause: 'remote_bye' }))
      .runUntil(30);
    expect(left.journalEntries('ended')).toMatchObject([{ reason: 'caller_hangup' }]);
    expect(left.journalEntries('ended')[0]).not.toHaveProperty('detail');
  });

  it('says the apology through the first voice again, which may hold it ready', () => {
    const call = new Simulation({
      agent: { initial_message: 'Hello.', fallbacks: { voice: [{ provider: 'test', name: 'second' }] } },
      voicesByName: {
        voice: {
          onlyTexts: ['I am sorry, something went wrong on our side.', 'Please call again a little later.', 'Goodbye.'],
        },
        second: { fails: 'always' },
      },
    }).runUntil(30);
    expect(call.openedVoices.map(({ name }) => name)).toEqual(['voice', 'second', 'voice']);
    expect(call.heardText).toBe(
      'I am sorry, something went wrong on our side. Please call again a little later. Goodbye.',
    );
    expect(call.endReason).toBe('voice_error');
    expect(call.dialogue).toHaveLength(1);
  });

  it('lets what was being said be heard first, and does not take the floor back', () => {
    const call = new Simulation({
      agent: HANDS_OVER,
      model: [{ text: 'Let me look that up for you. And', failsWith: { retryable: false } }],
      transfer: { after: 2, succeeds: true },
    })
      .userSpeaks(0.5, 1, 'Hello?')
      .userSpeaks(2, 2.5, 'Stop stop stop.')
      .runUntil(20);
    expect(call.heardText).toBe('Let me look that up for you. One of us takes over.');
    expect(call.endReason).toBe('transferred');
  });

  it('and whose playout is stuck is handed over all the same', () => {
    const call = new Simulation({ agent: HANDS_OVER, model: [FAILS], transfer: { after: 2, succeeds: true } });
    call.media.play = () => false;
    call.userSpeaks(0.5, 1, 'Hello?').runUntil(30);
    expect(call.endReason).toBe('transferred');
  });

  it('hangs up where the destination comes to nothing', () => {
    const call = failing({ on_provider_failure: { action: 'transfer', destination: '{{desk}}' } });
    expect(call.endReason).toBe('llm_error');
    expect(transfers(call)).toEqual([]);
    expect(call.logs).toContain('warn: the caller cannot be handed over: There is no destination.');
  });
});

describe('the graph check', () => {
  it('wants a destination for a handing over', () => {
    const { faults } = checkGraph(agentWith({ on_provider_failure: { action: 'transfer' } }));
    expect(faults).toEqual([{ path: 'on_provider_failure.destination', message: 'required for the action transfer' }]);
    expect(checkGraph(agentWith(HANDS_OVER)).faults).toEqual([]);
    const { warnings } = checkGraph(
      agentWith({ on_provider_failure: { action: 'transfer', destination: '{{desk}}' } }),
    );
    expect(warnings.map(({ path }) => path)).toContain('on_provider_failure.destination');
  });
});

describe('the phrases of an agent', () => {
  it('are its fixed texts as they will be said, the apology first', () => {
    const agent = agentWith({
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
    expect(phrasesToCache(agent)).toEqual([
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
