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
type Desk = Partial<Omit<typeof DESK, 'type' | 'name'>> & {
  readonly mode?: 'refer' | 'bridge';
  readonly allowed_destinations?: string[];
  readonly headers?: Record<string, string>;
  readonly ring_timeout?: number;
};

function transferring(desk: Desk, given: Partial<Scenario> & { readonly variables?: JsonValue } = {}): Simulation {
  const { agent, variables = {}, ...rest } = given;
  return new Simulation({
    agent: { ...agent, states: [{ name: 'start', tools: [{ ...DESK, ...desk }] }] },
    parameters: { dynamicVariables: Object.fromEntries(Object.entries(variables ?? {})) },
    model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Nobody is there.' }],
    ...rest,
  }).userSpeaks(0.5, 1, 'The desk please.');
}

const orders = (call: Simulation) =>
  call.commands.flatMap((command) => (command.type === 'call.transfer' ? [command.request] : []));
const told = (call: Simulation) =>
  call.journalEntries('transfer').map(({ phase, mode, destination, reason, atUs }) => ({
    phase,
    mode,
    destination,
    ...(reason === undefined ? {} : { reason }),
    atMs: atUs / 1000,
  }));
const answer = (call: Simulation) => call.modelRequests[1]?.messages.at(-1)?.content;

describe('the destination of a transfer', () => {
  it('is written in one way, and its headers hold no line end', () => {
    const call = transferring(
      { destination: ' tel:+49-30-{{extension}} ', headers: { 'X-Note': 'a{{note}}b' }, ring_timeout: 12 },
      { variables: { extension: '222222', note: '\r\nX-Evil: 1\r\n' } },
    ).runUntil(3);
    expect(orders(call)).toEqual([
      { destination: '+4930222222', mode: 'refer', headers: { 'X-Note': 'a X-Evil: 1 b' }, ringTimeoutMs: 12_000 },
    ]);
  });

  it.each([
    ['{{nobody}}', 'There is no destination.'],
    ['sip:{{nobody}}@pbx.example', 'There is no destination.'],
    ['{{word}}', 'Its destination is no number and no SIP address.'],
    ['sip:desk@pbx.example?{{word}}', 'Its destination is no number and no SIP address.'],
  ])('that comes to nothing is told to the model: %s', (destination, fault) => {
    const call = transferring({ destination }, { variables: { word: 'the shop' } }).runUntil(8);
    expect(orders(call)).toEqual([]);
    expect(answer(call)).toBe(`Not done. ${fault}`);
    expect(call.journalEntries('transfer')).toEqual([]);
    expect(call.heard.at(-1)?.text).toBe('Nobody is there.');
  });

  it('given at the start is dialled without a list, from nested values too', () => {
    const call = transferring(
      { destination: '{{desks.0.number}}' },
      { variables: { desks: [{ number: '+4930333333' }] } },
    );
    expect(orders(call.runUntil(3))[0]?.destination).toBe('+4930333333');
  });

  it.each([
    [['+49 30 444 444'], true],
    [['tel:+49-30-444444'], true],
    [['+4930444'], false],
    [['*', '+49'], false],
    [[], false],
  ])('that was said stands on the list %j, or is not dialled', (allowed_destinations, isDialled) => {
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
    expect(orders(call).map(({ destination }) => destination)).toEqual(isDialled ? ['+4930444444'] : []);
    if (!isDialled)
      expect(call.modelRequests[2]?.messages.at(-1)?.content).toBe('Not done. This destination is not allowed.');
  });

  it('given at the start and changed by what was said is dialled only from the list', () => {
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
    expect(orders(call)).toEqual([]);
  });

  it('mapped by a response under a name that hides a given value is not taken for the given one', () => {
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
    expect(orders(call)).toEqual([]);
  });
});

describe('a transfer by REFER that the peer refuses', () => {
  it('is bridged instead, once, and the user is not told of it', () => {
    const call = transferring({});
    call.at(4, () => call.emitControlEvent({ type: 'transfer_failed', reason: 'it takes no REFER', refused: true }));
    call.at(6, () => call.emitControlEvent({ type: 'transfer_succeeded' })).runUntil(10);
    expect(orders(call).map(({ mode, destination }) => [mode, destination])).toEqual([
      ['refer', '+4930111111'],
      ['bridge', '+4930111111'],
    ]);
    expect(told(call)).toEqual([
      { phase: 'started', mode: 'refer', destination: '+4930111111', atMs: 2_050 },
      { phase: 'started', mode: 'bridge', destination: '+4930111111', atMs: 4_000 },
      { phase: 'completed', mode: 'bridge', destination: '+4930111111', atMs: 6_000 },
    ]);
    expect(call.heard.map(({ text }) => text)).toEqual(['One moment.']);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.endReason).toBe('transferred');
  });

  it('and whose bridge fails as well gives the user back, with the last reason', () => {
    const call = transferring({});
    call.at(4, () => call.emitControlEvent({ type: 'transfer_failed', reason: 'it takes no REFER', refused: true }));
    call
      .at(6, () => call.emitControlEvent({ type: 'transfer_failed', reason: 'the line is busy', refused: true }))
      .runUntil(12);
    expect(orders(call)).toHaveLength(2);
    expect(told(call).at(-1)).toEqual({
      phase: 'failed',
      mode: 'bridge',
      destination: '+4930111111',
      reason: 'the line is busy',
      atMs: 6_000,
    });
    expect(answer(call)).toBe('The transfer failed: the line is busy. The caller is still on the line.');
    expect(call.journalEntries('tool_called').map(({ successful }) => successful)).toEqual([false]);
    expect(call.heard.at(-1)?.text).toBe('Nobody is there.');
    expect(call.endReason).toBeNull();
  });

  it('gets its whole time again for the bridge', () => {
    const call = transferring({ ring_timeout: 20 });
    call
      .at(20, () => call.emitControlEvent({ type: 'transfer_failed', reason: 'it takes no REFER', refused: true }))
      .runUntil(49);
    expect(call.handle.view().agentState).toBe('transferring');
    call.runUntil(51);
    expect(told(call).at(-1)).toMatchObject({ phase: 'failed', reason: 'nobody answered in time', atMs: 50_000 });
  });
});

describe('a transfer by bridge that succeeds', () => {
  const bridged = (given: Partial<Scenario> = {}) => {
    const call = transferring({ mode: 'bridge' }, given);
    call.at(4, () => call.emitControlEvent({ type: 'transfer_succeeded', bridged: true }));
    return call;
  };

  it('leaves the user on the line: the agent hears, says and asks nothing any more', () => {
    const call = bridged().userSpeaks(10, 12, 'Hello, is this the desk?').runUntil(600);
    expect(told(call).map(({ phase, atMs }) => [phase, atMs])).toEqual([
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

  it('is told nothing of a transcriber whose failure was on its way', () => {
    const error = { provider: 'test', code: 'closed', message: '', retryable: false } as const;
    const call = bridged()
      .at(5, (one) => one.handle.post({ type: 'transcriber.failed', error }))
      .runUntil(60);
    expect(call.commands.filter(({ type }) => type === 'voice.speak')).toHaveLength(1);
    expect(call.endReason).toBeNull();
  });

  it('has keys of its own: they are for the other side, and stand nowhere', () => {
    const call = bridged()
      .at(10, (one) => one.media.emit({ type: 'dtmf', digit: '7', durationMs: 100 }))
      .at(12, (one) => one.emitControlEvent({ type: 'ended', cause: 'remote_bye' }))
      .runUntil(20);
    expect(call.transcript.filter(({ role }) => role === 'dtmf')).toEqual([]);
    expect(call.commands.some((one) => one.type === 'timer.start' && one.timer === 'dtmf_entry')).toBe(false);
  });

  it.each(['remote_bye', 'local_bye'] as const)('ends as transferred, whoever hangs up: %s', (cause) => {
    const call = bridged();
    call.at(60, () => call.emitControlEvent({ type: 'ended', cause })).runUntil(61);
    expect(call.endReason).toBe('transferred');
    expect(call.commands.map(({ type }) => type)).not.toContain('call.hang_up');
  });

  it('may last longer than the agent’s calls may, but not for ever', () => {
    const call = bridged({ agent: { max_call_duration: 60 } }).runUntil(4 * 3_600 + 3);
    expect(call.endReason).toBeNull();
    call.runUntil(4 * 3_600 + 5);
    expect(call.endReason).toBe('max_duration');
    expect(call.commands.map(({ type }) => type)).toContain('call.hang_up');
  });

  it('is ended by an order', () => {
    const call = bridged();
    call.at(20, () => call.handle.post({ type: 'call.terminate', reason: 'terminated' })).runUntil(21);
    expect(call.endReason).toBe('terminated');
    expect(call.commands.map(({ type }) => type)).toContain('call.hang_up');
  });

  it('is held and resumed by its user without a word of the agent', () => {
    const call = bridged();
    call.at(6, () => call.emitControlEvent({ type: 'on_hold' }));
    call.at(9, () => call.emitControlEvent({ type: 'off_hold' })).runUntil(100);
    expect(call.heard.map(({ text }) => text)).toEqual(['One moment.']);
    expect(call.endReason).toBeNull();
  });
});

describe('a transfer that fails', () => {
  it.each(['refer', 'bridge'] as const)('where somebody was rung is not tried again: %s', (mode) => {
    const call = transferring({ mode }, { transfer: { after: 2, succeeds: false } }).runUntil(10);
    expect(orders(call)).toHaveLength(1);
    expect(told(call).map(({ phase }) => phase)).toEqual(['started', 'failed']);
    expect(answer(call)).toContain('busy');
  });

  it('by the user’s hanging up is told as such, once', () => {
    const call = transferring({}).hangUpAt(4).runUntil(10);
    expect(told(call).map(({ phase, reason }) => [phase, reason])).toEqual([
      ['started', undefined],
      ['failed', 'the call ended'],
    ]);
    expect(call.journalEntries('tool_called')).toHaveLength(1);
    expect(call.endReason).toBe('caller_hangup');
  });

  it('before it began is no transfer: nothing was started', () => {
    const call = transferring({ filler_sentence: 'One moment, I am going to connect you with the desk now.' })
      .userSpeaks(2.2, 3.2, 'No wait, please stop.')
      .runUntil(6);
    expect(call.journalEntries('transfer')).toEqual([]);
    expect(call.journalEntries('tool_called').map(({ successful }) => successful)).toEqual([false]);
  });
});

describe('a transfer that succeeds', () => {
  it('is a result of its function like any other, in transcript and events', () => {
    const call = transferring({}, { transfer: { after: 2, succeeds: true } }).runUntil(6);
    expect(call.transcript.filter(({ role }) => role === 'tool_response')).toMatchObject([
      { toolCallId: 'c1_0', name: 'desk', successful: true, content: 'Transferred.' },
    ]);
    expect(call.journalEntries('tool_called')).toMatchObject([{ toolCallId: 'c1_0', name: 'desk', successful: true }]);
  });
});

describe('a user who speaks while they are handed over', () => {
  const WAITING = { transfer: { after: 5, succeeds: false } } as const;

  it('is in the transcript, and is answered together with the transfer that failed', () => {
    const call = transferring({}, WAITING).userSpeaks(4, 5, 'Is anybody there?').runUntil(20);
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

  it('is in the transcript where the transfer succeeds', () => {
    const call = transferring({}, { transfer: { after: 5, succeeds: true } })
      .userSpeaks(4, 5, 'Is anybody there?')
      .runUntil(20);
    expect(call.dialogue.at(-1)).toBe('user: Is anybody there?');
    expect(call.endReason).toBe('transferred');
    expect(call.modelRequests).toHaveLength(1);
  });

  it('and has not finished when it fails is answered once they have', () => {
    const call = transferring({}, WAITING).userSpeaks(6, 9, 'I would rather wait for you.').runUntil(20);
    expect(call.dialogue.filter((line) => line.startsWith('user'))).toEqual([
      'user: The desk please.',
      'user: I would rather wait for you.',
    ]);
    expect(call.modelRequests.at(-1)?.messages.at(-1)).toEqual({
      role: 'user',
      content: 'I would rather wait for you.',
    });
  });
});
