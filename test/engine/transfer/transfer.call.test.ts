import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const DESK = {
  type: 'transfer_call' as const,
  name: 'desk',
  destination: '+49 30 111-111',
  filler_sentence: 'One moment.',
};
type DeskTool = Partial<Omit<typeof DESK, 'type' | 'name'>> & {
  readonly mode?: 'refer' | 'bridge';
  readonly allowed_destinations?: string[];
  readonly headers?: Record<string, string>;
  readonly ring_timeout?: number;
};

function callWithTransfer(
  desk: DeskTool,
  overrides: Partial<Scenario> & { readonly variables?: JsonValue } = {},
): Simulation {
  const { agent, variables = {}, ...rest } = overrides;
  return new Simulation({
    agent: { ...agent, states: [{ name: 'start', tools: [{ ...DESK, ...desk }] }] },
    parameters: { dynamicVariables: Object.fromEntries(Object.entries(variables ?? {})) },
    model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Nobody is there.' }],
    ...rest,
  }).userSpeaks(0.5, 1, 'The desk please.');
}

const transferRequests = (call: Simulation) =>
  call.commands.flatMap((command) => (command.type === 'call.transfer' ? [command.request] : []));
const transferEntries = (call: Simulation) =>
  call.journalEntries('transfer').map(({ phase, mode, destination, reason, atUs }) => ({
    phase,
    mode,
    destination,
    ...(reason === undefined ? {} : { reason }),
    atMs: atUs / 1000,
  }));
const lastToolMessage = (call: Simulation) => call.modelRequests[1]?.messages.at(-1)?.content;

describe('the destination of a transfer', () => {
  it('is normalised, and its headers contain no line break', () => {
    const call = callWithTransfer(
      { destination: ' tel:+49-30-{{extension}} ', headers: { 'X-Note': 'a{{note}}b' }, ring_timeout: 12 },
      { variables: { extension: '222222', note: '\r\nX-Evil: 1\r\n' } },
    ).runUntil(3);
    expect(transferRequests(call)).toEqual([
      { destination: '+4930222222', mode: 'refer', headers: { 'X-Note': 'a X-Evil: 1 b' }, ringTimeoutMs: 12_000 },
    ]);
  });

  it.each([
    ['{{nobody}}', 'There is no destination.'],
    ['sip:{{nobody}}@pbx.example', 'There is no destination.'],
    ['{{word}}', 'Its destination is neither a phone number nor a SIP address.'],
    ['sip:desk@pbx.example?{{word}}', 'Its destination is neither a phone number nor a SIP address.'],
  ])('is reported to the model if it is invalid: %s', (destination, fault) => {
    const call = callWithTransfer({ destination }, { variables: { word: 'the shop' } }).runUntil(8);
    expect(transferRequests(call)).toEqual([]);
    expect(lastToolMessage(call)).toBe(`Not done. ${fault}`);
    expect(call.journalEntries('transfer')).toEqual([]);
    expect(call.heard.at(-1)?.text).toBe('Nobody is there.');
  });

  it('needs no list of allowed destinations if it was given at the start, even in nested values', () => {
    const call = callWithTransfer(
      { destination: '{{desks.0.number}}' },
      { variables: { desks: [{ number: '+4930333333' }] } },
    );
    expect(transferRequests(call.runUntil(3))[0]?.destination).toBe('+4930333333');
  });

  it.each([
    [['+49 30 444 444'], true],
    [['tel:+49-30-444444'], true],
    [['+4930444'], false],
    [['*', '+49'], false],
    [[], false],
  ])('from the user’s words is dialled only if the list %j contains it', (allowed_destinations, isDialled) => {
    const call = new Simulation({
      agent: {
        variables: [{ name: 'number' }],
        states: [{ name: 'start', tools: [{ ...DESK, destination: '{{number}}', allowed_destinations }] }],
      },
      model: [{ text: 'Which?' }, { toolCalls: [{ name: 'desk' }] }, { text: 'I cannot.' }],
      extractions: [{ number: '+49 30 444444' }],
    })
      .userSpeaks(0.5, 1, 'Plus four nine.')
      .userSpeaks(4, 5, 'Now please.')
      .runUntil(8);
    expect(transferRequests(call).map(({ destination }) => destination)).toEqual(isDialled ? ['+4930444444'] : []);
    if (!isDialled)
      expect(call.modelRequests[2]?.messages.at(-1)?.content).toBe('Not done. This destination is not allowed.');
  });

  it('is not dialled without a list if the user’s words replaced the value given at the start', () => {
    const call = new Simulation({
      agent: {
        variables: [{ name: 'number' }],
        states: [{ name: 'start', tools: [{ ...DESK, destination: '{{number}}' }] }],
      },
      parameters: { dynamicVariables: { number: '+4930555555' } },
      model: [{ text: 'Which?' }, { toolCalls: [{ name: 'desk' }] }, { text: 'I cannot.' }],
      extractions: [{ number: '+4930666666' }],
    })
      .userSpeaks(0.5, 1, 'Another one.')
      .userSpeaks(4, 5, 'Now please.')
      .runUntil(8);
    expect(transferRequests(call)).toEqual([]);
  });

  it.each([
    [undefined, []],
    [['+4930555555'], ['+4930555555']],
  ])('is not dialled without a list if its value is untrusted: list %j', (list, dialled) => {
    const call = callWithTransfer(
      { destination: '{{number}}', ...(list !== undefined && { allowed_destinations: list }) },
      { parameters: { dynamicVariables: { number: '+4930555555' }, untrustedVariables: ['number'] } },
    ).runUntil(8);
    expect(transferRequests(call).map(({ destination }) => destination)).toEqual(dialled);
  });

  it('is not dialled if a tool response shadows the value given at the start', () => {
    const find = {
      type: 'custom_function' as const,
      name: 'find',
      url: 'https://example.com',
      response_mapping: [{ json_path_to_data: '$.n', destination_variable: 'desk.number' }],
    };
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [find, { ...DESK, destination: '{{desk.number}}' }] }] },
      parameters: { dynamicVariables: { desk: { number: '+4930555555' } } },
      model: [{ toolCalls: [{ name: 'find' }] }, { toolCalls: [{ name: 'desk' }] }, { text: 'I cannot.' }],
      tools: { find: { after: 0.1, result: { mapped: [{ variable: 'desk.number', value: '+4930777777' }] } } },
    })
      .userSpeaks(0.5, 1, 'The desk please.')
      .runUntil(8);
    expect(call.handle.view().variables.find(({ name }) => name === 'desk.number')?.value).toBe('+4930777777');
    expect(transferRequests(call)).toEqual([]);
  });
});

describe('a REFER transfer that the peer rejects', () => {
  it('is replaced by a bridge once, without a word to the user', () => {
    const call = callWithTransfer({});
    call.at(4, () => call.emitControlEvent({ type: 'transfer_failed', reason: 'it takes no REFER', refused: true }));
    call.at(6, () => call.emitControlEvent({ type: 'transfer_succeeded' })).runUntil(10);
    expect(transferRequests(call).map(({ mode, destination }) => [mode, destination])).toEqual([
      ['refer', '+4930111111'],
      ['bridge', '+4930111111'],
    ]);
    expect(transferEntries(call)).toEqual([
      { phase: 'started', mode: 'refer', destination: '+4930111111', atMs: 2_050 },
      { phase: 'started', mode: 'bridge', destination: '+4930111111', atMs: 4_000 },
      { phase: 'completed', mode: 'bridge', destination: '+4930111111', atMs: 6_000 },
    ]);
    expect(call.heard.map(({ text }) => text)).toEqual(['One moment.']);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.notices).toEqual([{ type: 'refer_refused' }]);
    expect(call.endReason).toBe('transferred');
  });

  it('is not replaced by a bridge after a provider has failed: the user hears the apology', () => {
    const call = callWithTransfer({});
    const error = { provider: 'test', code: 'closed', message: 'gone', retryable: false } as const;
    call.at(3, () => call.emitTranscriberEvent({ type: 'failed', error }));
    call.at(4, () => call.emitControlEvent({ type: 'transfer_failed', reason: 'it takes no REFER', refused: true }));
    call.runUntil(20);
    expect(transferEntries(call).map(({ phase, mode }) => [phase, mode])).toEqual([
      ['started', 'refer'],
      ['failed', 'refer'],
    ]);
    expect(call.heard.at(-1)?.text).toBe('Goodbye.');
    expect(call.journalEntries('ended')).toMatchObject([{ reason: 'transcriber_error', detail: 'test closed: gone' }]);
  });

  it('fails with the reason of the bridge if that fails too, and the agent continues', () => {
    const call = callWithTransfer({});
    call.at(4, () => call.emitControlEvent({ type: 'transfer_failed', reason: 'it takes no REFER', refused: true }));
    call
      .at(6, () => call.emitControlEvent({ type: 'transfer_failed', reason: 'the line is busy', refused: true }))
      .runUntil(12);
    expect(transferRequests(call)).toHaveLength(2);
    expect(transferEntries(call).at(-1)).toEqual({
      phase: 'failed',
      mode: 'bridge',
      destination: '+4930111111',
      reason: 'the line is busy',
      atMs: 6_000,
    });
    expect(lastToolMessage(call)).toBe('The transfer failed: the line is busy. The caller is still on the line.');
    expect(call.journalEntries('tool_called').map(({ successful }) => successful)).toEqual([false]);
    expect(call.heard.at(-1)?.text).toBe('Nobody is there.');
    expect(call.endReason).toBeNull();
  });

  it('gives the bridge the whole ring timeout again', () => {
    const call = callWithTransfer({ ring_timeout: 20 });
    call
      .at(20, () => call.emitControlEvent({ type: 'transfer_failed', reason: 'it takes no REFER', refused: true }))
      .runUntil(49);
    expect(call.handle.view().agentState).toBe('transferring');
    call.runUntil(51);
    expect(transferEntries(call).at(-1)).toMatchObject({
      phase: 'failed',
      reason: 'nobody answered in time',
      atMs: 50_000,
    });
  });
});

describe('a successful bridge transfer', () => {
  const bridgedCall = (overrides: Partial<Scenario> = {}) => {
    const call = callWithTransfer({ mode: 'bridge' }, overrides);
    call.at(4, () => call.emitControlEvent({ type: 'transfer_succeeded', bridged: true }));
    return call;
  };

  it('keeps the call, in which the agent no longer listens, speaks or requests anything', () => {
    const call = bridgedCall().userSpeaks(10, 12, 'Hello, is this the desk?').runUntil(600);
    expect(transferEntries(call).map(({ phase, atMs }) => [phase, atMs])).toEqual([
      ['started', 2_050],
      ['completed', 4_000],
    ]);
    const types = call.commands.map(({ type }) => type);
    expect(types.filter((type) => type === 'transcriber.close' || type === 'voice.close')).toHaveLength(2);
    expect(types).not.toContain('call.hang_up');
    expect(call.heard.map(({ text }) => text)).toEqual(['One moment.']);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.dialogue).toEqual(['user: The desk please.', 'agent: One moment.']);
    expect(call.endReason).toBeNull();
    expect(call.handle.view()).toMatchObject({ lifecycle: 'bridged', agentState: 'over' });
  });

  it('ignores a transcriber failure that arrives late', () => {
    const error = { provider: 'test', code: 'closed', message: '', retryable: false } as const;
    const call = bridgedCall()
      .at(5, (call) => call.handle.post({ type: 'transcriber.failed', error }))
      .runUntil(60);
    expect(call.commands.filter(({ type }) => type === 'voice.speak')).toHaveLength(1);
    expect(call.endReason).toBeNull();
  });

  it('ignores DTMF digits, which are meant for the destination', () => {
    const call = bridgedCall()
      .at(10, (call) => call.media.emit({ type: 'dtmf', digit: '7', durationMs: 100 }))
      .at(12, (call) => call.emitControlEvent({ type: 'ended', cause: 'remote_bye' }))
      .runUntil(20);
    expect(call.transcript.filter(({ role }) => role === 'dtmf')).toEqual([]);
    expect(call.commands.some((command) => command.type === 'timer.start' && command.timer === 'dtmf_entry')).toBe(
      false,
    );
  });

  it.each(['remote_bye', 'local_bye'] as const)('ends with the reason `transferred` after %s', (cause) => {
    const call = bridgedCall();
    call.at(60, () => call.emitControlEvent({ type: 'ended', cause })).runUntil(61);
    expect(call.endReason).toBe('transferred');
    expect(call.commands.map(({ type }) => type)).not.toContain('call.hang_up');
  });

  it('may exceed the agent’s maximum duration, up to four hours', () => {
    const call = bridgedCall({ agent: { max_call_duration: 60 } }).runUntil(4 * 3_600 + 3);
    expect(call.endReason).toBeNull();
    call.runUntil(4 * 3_600 + 5);
    expect(call.endReason).toBe('max_duration');
    expect(call.commands.map(({ type }) => type)).toContain('call.hang_up');
  });

  it('can be terminated by the API', () => {
    const call = bridgedCall();
    call.at(20, () => call.handle.post({ type: 'call.terminate', reason: 'terminated' })).runUntil(21);
    expect(call.endReason).toBe('terminated');
    expect(call.commands.map(({ type }) => type)).toContain('call.hang_up');
  });

  it('can be put on hold and resumed without a word of the agent', () => {
    const call = bridgedCall();
    call.at(6, () => call.emitControlEvent({ type: 'on_hold' }));
    call.at(9, () => call.emitControlEvent({ type: 'off_hold' })).runUntil(100);
    expect(call.heard.map(({ text }) => text)).toEqual(['One moment.']);
    expect(call.endReason).toBeNull();
  });
});

describe('a failed transfer', () => {
  it.each(['refer', 'bridge'] as const)('is not repeated if the destination was rung: %s', (mode) => {
    const call = callWithTransfer({ mode }, { transfer: { after: 2, succeeds: false } }).runUntil(10);
    expect(transferRequests(call)).toHaveLength(1);
    expect(transferEntries(call).map(({ phase }) => phase)).toEqual(['started', 'failed']);
    expect(lastToolMessage(call)).toContain('busy');
    expect(call.transcript.filter(({ role }) => role === 'tool_response')).toMatchObject([
      { toolCallId: 'c1_0', name: 'desk', successful: false },
    ]);
  });

  it('is no turn of a user who was silent', () => {
    const call = callWithTransfer({}, { transfer: { after: 2, succeeds: false } })
      .hangUpAt(10)
      .runUntil(11);
    expect(call.journalEntries('ended')[0]?.metrics.turns).toBe(1);
  });

  it('is reported once with the reason if the user hangs up', () => {
    const call = callWithTransfer({}).hangUpAt(4).runUntil(10);
    expect(transferEntries(call).map(({ phase, reason }) => [phase, reason])).toEqual([
      ['started', undefined],
      ['failed', 'the call ended'],
    ]);
    expect(call.journalEntries('tool_called')).toHaveLength(1);
    expect(call.endReason).toBe('caller_hangup');
  });

  it('is not reported if the user interrupted before its start', () => {
    const call = callWithTransfer({ filler_sentence: 'One moment, I am going to connect you with the desk now.' })
      .userSpeaks(2.2, 3.2, 'No wait, please stop.')
      .runUntil(6);
    expect(call.journalEntries('transfer')).toEqual([]);
    expect(call.journalEntries('tool_called').map(({ successful }) => successful)).toEqual([false]);
  });
});

describe('a successful transfer', () => {
  it('has a tool result in the transcript and in the events', () => {
    const call = callWithTransfer({}, { transfer: { after: 2, succeeds: true } }).runUntil(6);
    expect(call.transcript.filter(({ role }) => role === 'tool_response')).toMatchObject([
      { toolCallId: 'c1_0', name: 'desk', successful: true, content: 'Transferred.' },
    ]);
    expect(call.journalEntries('tool_called')).toMatchObject([{ toolCallId: 'c1_0', name: 'desk', successful: true }]);
  });
});

describe('a user who speaks during a transfer', () => {
  const WAITING = { transfer: { after: 5, succeeds: false } } as const;

  it('appears in the transcript, and gets one answer together with the failed transfer', () => {
    const call = callWithTransfer({}, WAITING).userSpeaks(4, 5, 'Is anybody there?').runUntil(20);
    expect(call.dialogue).toEqual([
      'user: The desk please.',
      'agent: One moment.',
      'user: Is anybody there?',
      'agent: Nobody is there.',
    ]);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.modelRequests[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'Is anybody there?' });
    expect(call.modelRequests[1]?.messages.at(-2)?.role).toBe('tool');
  });

  it('appears in the transcript if the transfer succeeds', () => {
    const call = callWithTransfer({}, { transfer: { after: 5, succeeds: true } })
      .userSpeaks(4, 5, 'Is anybody there?')
      .runUntil(20);
    expect(call.dialogue.at(-1)).toBe('user: Is anybody there?');
    expect(call.endReason).toBe('transferred');
    expect(call.modelRequests).toHaveLength(1);
  });

  it('is answered once, with all words, if the transfer fails between their words', () => {
    const userTexts = (call: Simulation) => call.dialogue.filter((text) => text.startsWith('user')).slice(1);
    const speaking = callWithTransfer({}, WAITING)
      .userSpeaks(5, 6, 'I would rather')
      .userSpeaks(6.5, 7.5, 'wait for you.')
      .runUntil(20);
    expect(userTexts(speaking)).toEqual(['user: I would rather wait for you.']);
    const beforeFinal = callWithTransfer({}, WAITING)
      .interimAt(6.8, 6, 'I would')
      .userSpeaks(6, 6.9, 'I would wait.', { finalAfter: 0.4 })
      .runUntil(20);
    expect(userTexts(beforeFinal)).toEqual(['user: I would wait.']);
  });

  it('is answered after the end of the turn if the transfer fails before', () => {
    const call = callWithTransfer({}, WAITING).userSpeaks(6, 9, 'I would rather wait for you.').runUntil(20);
    expect(call.dialogue.filter((text) => text.startsWith('user'))).toEqual([
      'user: The desk please.',
      'user: I would rather wait for you.',
    ]);
    expect(call.modelRequests.at(-1)?.messages.at(-1)).toEqual({
      role: 'user',
      content: 'I would rather wait for you.',
    });
  });
});
