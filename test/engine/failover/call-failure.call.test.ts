import { describe, expect, it } from 'vitest';
import { checkGraph } from '../../../engine/agent/graph-check.ts';
import { phrasesToCache } from '../../../engine/session/streams/phrases-to-cache.ts';
import { agentWith } from '../simulation/agent-with.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const MODEL_FAILURE = { failsWith: { retryable: false } };
const TRANSFER_AGENT = {
  on_provider_failure: { message: 'One of us takes over.', action: 'transfer' as const, destination: '+4930111111' },
};

/** A call whose only model fails in both turns. */
function failingCall(agent: object, overrides: Partial<Scenario> = {}): Simulation {
  return twoTurns(new Simulation({ agent, model: [MODEL_FAILURE, MODEL_FAILURE], ...overrides })).runUntil(60);
}
const twoTurns = (call: Simulation) => call.userSpeaks(0.5, 1, 'Hello?').userSpeaks(9, 9.5, 'Are you there?');
const LANGUAGE_APOLOGY = [
  'I am sorry, something went wrong on our side.',
  'Please call again a little later.',
  'Goodbye.',
];
/** At once, again at once, after each of four delays, and once more as an apology. */
const MESSAGE_ATTEMPTS_MAX = 7;
const REPEAT_REQUEST = ['I am sorry, I have lost the thread.', 'Could you say that again, please?'];
const transferRequests = (call: Simulation) =>
  call.commands.flatMap((command) => (command.type === 'call.transfer' ? [command.request] : []));

describe('call without a working provider', () => {
  it('transfers the user after the apology if the agent is configured to', () => {
    const call = failingCall(TRANSFER_AGENT, { transfer: { after: 2, succeeds: true } });
    expect(call.heardTexts).toEqual(['One of us takes over.', 'One of us takes over.']);
    expect(transferRequests(call)).toEqual([
      { destination: '+4930111111', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 },
    ]);
    expect(call.commandTimesMs('call.transfer')[0]).toBe(call.heard[1]?.toMs);
    expect(call.endReason).toBe('transferred');
  });

  it('transfers the user after the apology, also if they were speaking when the transcriber failed', () => {
    const lost = { provider: 'test', code: 'unavailable', message: 'gone', retryable: false } as const;
    const call = new Simulation({
      agent: { ...TRANSFER_AGENT, initial_message: 'Hello there. How can I help you?' },
      transfer: { after: 2, succeeds: true },
    })
      .userSpeaks(0.5, 2, 'I want a table for four', { finalAfter: 0.4 })
      .at(0.7, (call) => call.emitTranscriberEvent({ type: 'failed', error: lost }))
      .at(0.9, (call) => call.emitTranscriberEvent({ type: 'failed', error: lost }))
      .runUntil(60);
    expect(call.heardTexts.at(-1)).toBe('One of us takes over.');
    expect(call.commandTimesMs('call.transfer')).toEqual([call.heard.at(-1)?.toMs]);
    expect(call.endReason).toBe('transferred');
  });

  it.each([{ after: 2, succeeds: false }, undefined])(
    'ends with the reason of the provider failure when the transfer fails too: %j',
    (transfer) => {
      const call = failingCall(TRANSFER_AGENT, transfer === undefined ? {} : { transfer });
      expect(call.endReason).toBe('llm_error');
      expect(transferRequests(call)).toHaveLength(1);
      expect(call.heardTexts).toHaveLength(2);
      expect(call.journalEntries('tool_called')).toEqual([]);
      const reason = transfer === undefined ? 'nobody answered in time' : 'busy';
      expect(call.journalEntries('transfer').at(-1)).toMatchObject({ phase: 'failed', reason });
    },
  );

  it.each([
    [{ after: 2, succeeds: true }, undefined, ['started', 'completed']],
    [{ after: 2, succeeds: false }, undefined, ['started', 'failed']],
    [undefined, 15, ['started', 'failed']],
  ] as const)(
    'reports the outcome of the transfer (%j), also if the user hangs up first (at %s s)',
    (transfer, hangUpAt, phases) => {
      const model = [MODEL_FAILURE, MODEL_FAILURE];
      const call = new Simulation({ agent: TRANSFER_AGENT, model, ...(transfer && { transfer }) });
      if (hangUpAt !== undefined) call.hangUpAt(hangUpAt);
      twoTurns(call).runUntil(60);
      expect(call.journalEntries('transfer').map(({ phase }) => phase)).toEqual(phases);
      expect(call.journalEntries('tool_called')).toEqual([]);
    },
  );

  it('bridges the transfer when the peer refuses REFER', () => {
    const call = twoTurns(new Simulation({ agent: TRANSFER_AGENT, model: [MODEL_FAILURE, MODEL_FAILURE] }))
      .at(15, (simulation) =>
        simulation.emitControlEvent({ type: 'transfer_failed', reason: 'refused', refused: true }),
      )
      .at(17, (simulation) => simulation.emitControlEvent({ type: 'transfer_succeeded' }))
      .runUntil(30);
    expect(transferRequests(call).map(({ mode }) => mode)).toEqual(['refer', 'bridge']);
    expect(call.endReason).toBe('transferred');
  });

  it('transfers the user without an apology when the voice fails too', () => {
    const call = failingCall(TRANSFER_AGENT, { voice: { fails: 'always' }, transfer: { after: 2, succeeds: true } });
    expect(call.heard).toEqual([]);
    expect(call.endReason).toBe('transferred');
  });

  it('plays the cached apology of the language when the voice fails with the agent’s message', () => {
    const call = failingCall(
      { on_provider_failure: { message: 'Sorry, {{name}}, we call you back.' } },
      { voice: { onlyTexts: LANGUAGE_APOLOGY }, parameters: { dynamicVariables: { name: 'Ada' } } },
    );
    expect(call.heardText).toBe(LANGUAGE_APOLOGY.join(' '));
    expect(call.endReason).toBe('voice_error');
  });

  it('says the language’s apology if the agent’s message is empty once filled, and none if it is configured as empty', () => {
    const heardApology = (message: string) => failingCall({ on_provider_failure: { message } }).heardTexts;
    expect(heardApology('{{unknown}}')).toEqual([...REPEAT_REQUEST, ...LANGUAGE_APOLOGY]);
    expect(heardApology('')).toEqual([]);
  });

  it.each([false, true])(
    'requests the agent’s message within the retry budget, then the language’s apology once (voice stalls: %s)',
    (stalls) => {
      const agent = { on_provider_failure: { message: 'We call you back.' } };
      const call = failingCall(agent, { voice: stalls ? { stalls } : { fails: 'always' } });
      const texts = call.commands.flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));
      expect(texts.filter((text) => text === 'We call you back.').length).toBeLessThanOrEqual(MESSAGE_ATTEMPTS_MAX);
      expect(texts.filter((text) => text === LANGUAGE_APOLOGY[0])).toHaveLength(1);
      expect(call.heard).toEqual([]);
      expect(call.endReason).toBe('voice_error');
      expect(call.journalEntries('ended')[0]?.atUs).toBeLessThan(15_000_000);
    },
  );

  it('reports the failure as the detail of its end, and no detail for other ends', () => {
    const call = failingCall({});
    expect(call.journalEntries('ended')).toMatchObject([{ reason: 'llm_error', detail: 'test unavailable: no' }]);
    expect(call.noticesOf('call_failed')).toEqual([
      { type: 'call_failed', reason: 'llm_error', detail: 'test unavailable: no' },
    ]);
    const stalls = { stalls: true };
    const stalledModel = new Simulation({ agent: {}, model: [stalls, stalls, stalls, stalls, stalls, stalls] })
      .userSpeaks(0.5, 1, 'Hello?')
      .userSpeaks(30, 31, 'Hello?')
      .runUntil(100);
    expect(stalledModel.journalEntries('ended')[0]?.detail).toBe('test model timeout: no answer in time');
    const stalledVoice = new Simulation({ agent: { initial_message: 'Hello.' }, voice: { stalls: true } }).runUntil(60);
    expect(stalledVoice.journalEntries('ended')[0]).toMatchObject({
      reason: 'voice_error',
      detail: 'test timeout: no audio in time',
    });
    const hungUp = twoTurns(new Simulation({ agent: {}, model: [MODEL_FAILURE, MODEL_FAILURE] }))
      .at(10, (simulation) => simulation.emitControlEvent({ type: 'ended', cause: 'remote_bye' }))
      .runUntil(30);
    expect(hungUp.journalEntries('ended')).toMatchObject([{ reason: 'caller_hangup' }]);
    expect(hungUp.journalEntries('ended')[0]).not.toHaveProperty('detail');
  });

  it('asks the first voice for the apology again, since it may be cached', () => {
    const call = new Simulation({
      agent: { initial_message: 'Hello.', fallbacks: { voice: [{ provider: 'test', name: 'second' }] } },
      voicesByName: {
        voice: {
          onlyTexts: LANGUAGE_APOLOGY,
        },
        second: { fails: 'always' },
      },
    }).runUntil(30);
    expect(call.openedVoices.map(({ name }) => name)).toEqual(['voice', 'second', 'voice', 'voice', 'voice']);
    expect(call.heardText).toBe(LANGUAGE_APOLOGY.join(' '));
    expect(call.endReason).toBe('voice_error');
    expect(call.dialogue).toHaveLength(1);
  });

  it('plays the speech that is queued before the apology, and is not interruptible', () => {
    const call = new Simulation({
      agent: TRANSFER_AGENT,
      model: [MODEL_FAILURE, { text: 'Let me look that up for you. And', failsWith: { retryable: false } }],
      transfer: { after: 2, succeeds: true },
    });
    twoTurns(call).userSpeaks(10.5, 11, 'Stop stop stop.').runUntil(30);
    const message = 'One of us takes over.';
    expect(call.heardTexts).toEqual([message, 'Let me look that up for you.', message]);
    expect(call.endReason).toBe('transferred');
  });

  it('transfers the user although the playout stalls', () => {
    const call = new Simulation({
      agent: TRANSFER_AGENT,
      model: [MODEL_FAILURE, MODEL_FAILURE],
      transfer: { after: 2, succeeds: true },
    });
    call.media.play = () => false;
    twoTurns(call).runUntil(30);
    expect(call.endReason).toBe('transferred');
  });

  it('ends if the destination is empty once filled', () => {
    const call = failingCall({ on_provider_failure: { action: 'transfer', destination: '{{desk}}' } });
    expect(call.endReason).toBe('llm_error');
    expect(transferRequests(call)).toEqual([]);
    expect(call.notices).toContainEqual({ type: 'failure_transfer_skipped', reason: 'There is no destination.' });
  });
});

describe('graph check of the failure action', () => {
  it('requires a destination for a transfer after a failure', () => {
    const { faults } = checkGraph(agentWith({ on_provider_failure: { action: 'transfer' } }));
    expect(faults).toEqual([{ path: 'on_provider_failure.destination', message: 'required for the action transfer' }]);
    expect(checkGraph(agentWith(TRANSFER_AGENT)).faults).toEqual([]);
    const { warnings } = checkGraph(
      agentWith({ on_provider_failure: { action: 'transfer', destination: '{{desk}}' } }),
    );
    expect(warnings.map(({ path }) => path)).toContain('on_provider_failure.destination');
  });
});

describe('cached phrases of an agent', () => {
  it('list the sentences of its texts without placeholders, the apology first', () => {
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
      ...REPEAT_REQUEST,
      ...LANGUAGE_APOLOGY,
      'Good evening.',
      'How may I help?',
      'One moment, please.',
      'One moment please, I am still on it.',
      'Are you there?',
      'Right.',
    ]);
  });
});
