import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const FATAL_FAILURE = {
  type: 'failed',
  error: { provider: 'test', code: 'closed', message: '', retryable: false },
} as const;
const APOLOGY = 'Goodbye.';
const HANG_UP = { type: 'hang_up' as const, name: 'bye', filler_sentence: 'Goodbye then, it was a pleasure.' };
const DESK = {
  type: 'transfer_call' as const,
  name: 'desk',
  destination: '+4930111111',
  filler_sentence: 'One moment.',
};

/** The last transcriber fails at 2 s; the apology is heard from 2.2 s on. */
const callWithoutTranscriber = () =>
  new Simulation({ agent: { initial_message: 'Hello.' } }).at(2, (call) => call.emitTranscriberEvent(FATAL_FAILURE));

describe('end after a transcriber failure', () => {
  it('comes although the user presses digits during the apology', () => {
    const call = callWithoutTranscriber().userPresses(2.6, '1#').runUntil(30);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.heard.at(-1)?.text).toContain(APOLOGY);
    expect(call.modelRequests).toEqual([]);
  });

  it('comes although a say request interrupts the apology', () => {
    const call = callWithoutTranscriber()
      .at(2.6, (simulation) =>
        simulation.handle.post({ type: 'call.say', text: 'Your order is ready.', interrupt: true }),
      )
      .runUntil(30);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.heardTexts).not.toContain('Your order is ready.');
  });

  it('comes although the playout of the apology stalls', () => {
    const call = callWithoutTranscriber()
      .at(2.6, (simulation) => simulation.media.pause())
      .runUntil(60);
    expect(call.endReason).toBe('transcriber_error');
  });

  it('comes once, with one apology, when the transcriber fails again', () => {
    const call = callWithoutTranscriber()
      .at(2.6, (simulation) => simulation.emitTranscriberEvent(FATAL_FAILURE))
      .runUntil(30);
    expect(call.journalEntries('ended').map(({ reason }) => reason)).toEqual(['transcriber_error']);
    expect(call.heard.filter(({ text }) => text.includes(APOLOGY))).toHaveLength(1);
  });

  it('comes without an apology when the transcriber fails after a request to terminate', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello.' } })
      .at(2, (simulation) => simulation.handle.post({ type: 'call.terminate', reason: 'terminated' }))
      .at(2.01, (simulation) => simulation.emitTranscriberEvent(FATAL_FAILURE))
      .runUntil(30);
    expect(call.endReason).toBe('terminated');
    expect(call.heardTexts).toEqual(['Hello.']);
    expect(call.commands.filter(({ type }) => type === 'voice.speak')).toHaveLength(1);
  });

  it('waits for a running transfer, and comes when the transfer fails', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [DESK] }] },
      model: [{ toolCalls: [{ name: 'desk' }] }],
    })
      .userSpeaks(0.5, 1, 'The desk please.')
      .at(4, (simulation) => simulation.emitTranscriberEvent(FATAL_FAILURE))
      .at(5, (simulation) => simulation.emitControlEvent({ type: 'transfer_failed', reason: 'busy' }))
      .runUntil(30);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.heard.at(-1)?.text).toContain(APOLOGY);
    expect(call.modelRequests).toHaveLength(1);
  });
});

describe('fault while a transfer waits for its filler', () => {
  const scenario = {
    agent: { states: [{ name: 'start', tools: [{ ...DESK, filler_sentence: 'One moment, I am connecting you.' }] }] },
    model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Shall I try again?' }],
  };

  it('starts the transfer although the playout of its filler stalls', () => {
    const call = new Simulation({ ...scenario, transfer: { after: 1, succeeds: true } })
      .userSpeaks(0.5, 1, 'The desk please.')
      .at(2.1, (simulation) => simulation.media.pause())
      .runUntil(60);
    expect(call.endReason).toBe('transferred');
    expect(call.dialogue).toEqual(['user: The desk please.', 'agent: One moment,']);
  });

  it.each([
    [
      'the last transcriber fails',
      {},
      'transcriber_error',
      (call: Simulation) => call.at(2.1, (simulation) => simulation.emitTranscriberEvent(FATAL_FAILURE)),
    ],
    ['the voice fails', { voice: { fails: 'always' } } as const, 'voice_error', (call: Simulation) => call],
    [
      'both fail',
      { voice: { failsAt: [{ textIndex: 0, afterMs: 600, retryable: false }], after: 1 } } as const,
      'transcriber_error',
      (call: Simulation) => call.at(2.1, (simulation) => simulation.emitTranscriberEvent(FATAL_FAILURE)),
    ],
  ])('delays the apology until the transfer fails, when %s', (_case, overrides, reason, fail) => {
    const callWithTransfer = (succeeds: boolean) => {
      const call = new Simulation({ ...scenario, ...overrides, transfer: { after: 1, succeeds } });
      return fail(call.userSpeaks(0.5, 1, 'The desk please.')).runUntil(60);
    };
    const call = callWithTransfer(true);
    expect(call.endReason).toBe('transferred');
    expect(call.journalEntries('tool_called').map(({ successful }) => successful)).toEqual([true]);
    const requestedTexts = ({ commands }: Simulation) =>
      commands.flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));
    expect(requestedTexts(call).filter((text) => text.includes(APOLOGY))).toEqual([]);
    const failed = callWithTransfer(false);
    expect(failed.endReason).toBe(reason);
    expect(requestedTexts(failed).some((text) => text.includes(APOLOGY))).toBe(true);
    expect(failed.modelRequests).toHaveLength(1);
  });
});

describe('hang-up by the model', () => {
  const scenario = {
    agent: { states: [{ name: 'start', tools: [HANG_UP] }] },
    model: [{ toolCalls: [{ name: 'bye' }] }, { text: 'Fine.' }],
  };

  it('comes although the playout of the goodbye stalls', () => {
    const call = new Simulation(scenario)
      .userSpeaks(0.5, 1, 'That is all.')
      .at(2, (simulation) => simulation.media.pause())
      .runUntil(60);
    expect(call.endReason).toBe('agent_hangup');
  });

  it('does not happen after DTMF digits; model and transcript get a failed tool result', () => {
    const call = new Simulation(scenario).userSpeaks(0.5, 1, 'That is all.').userPresses(2, '1#').runUntil(10);
    const content = 'Not done: the caller pressed keys before the goodbye was over: the call goes on.';
    expect(call.endReason).toBeNull();
    expect(call.modelRequests[1]?.messages.find(({ role }) => role === 'tool')?.content).toBe(content);
    expect(call.transcript.filter(({ role }) => role === 'tool_response')).toMatchObject([
      { toolCallId: 'c1_0', name: 'bye', successful: false, content },
    ]);
    expect(call.transcript.map(({ role }) => role).slice(0, 4)).toEqual([
      'user',
      'tool_call',
      'tool_response',
      'agent',
    ]);
    expect(call.journalEntries('tool_called')).toHaveLength(1);
    expectReplay(call);
  });

  it('does not wait for a running tool call, whose result is a failure', () => {
    const lookup = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [HANG_UP, lookup] }] },
      model: [{ toolCalls: [{ name: 'lookup' }, { name: 'bye' }] }],
      tools: { lookup: { after: 100, result: {} } },
    })
      .userSpeaks(0.5, 1, 'That is all.')
      .runUntil(200);
    expect(call.endReason).toBe('agent_hangup');
    expect(call.journalEntries('ended')[0]?.atUs).toBeLessThan(5_000_000);
    expect(call.journalEntries('tool_called').map(({ toolCallId, successful }) => [toolCallId, successful])).toEqual([
      ['c1_1', true],
      ['c1_0', false],
    ]);
  });
});

describe('DTMF digits during speech that is not interruptible', () => {
  it.each([{ initial_message_interruptible: false }, { interruptions: false }])(
    'get a response after it: %j',
    (overrides) => {
      const agent = { initial_message: 'One two three four five six.', ...overrides };
      const call = new Simulation({ agent }).userPresses(0.5, '1#2#', 0.1).runUntil(10);
      expect(call.heard.map(({ text, toMs }) => [text, toMs])).toEqual([
        ['One two three four five six.', 1_600],
        ['Yes.', 2_100],
      ]);
      expect(call.transcript.filter(({ role }) => role === 'dtmf').map(({ content }) => content)).toEqual(['1', '2']);
      expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
        '[pressed the keys 1] [pressed the keys 2]',
      ]);
    },
  );

  it('form an entry after a pause, also during a transfer', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [DESK] }] },
      model: [{ toolCalls: [{ name: 'desk' }] }],
    })
      .userSpeaks(0.5, 1, 'The desk please.')
      .userPresses(4, '1')
      .at(10, (simulation) => simulation.emitControlEvent({ type: 'transfer_failed', reason: 'busy' }))
      .runUntil(20);
    expect(call.transcript.find(({ role }) => role === 'dtmf')?.content).toBe('1');
    expect(call.handle.view().agentState).toBe('listening');
  });
});

describe('tool calls of one response that exclude each other', () => {
  const tools = [DESK, { ...DESK, name: 'shop', destination: '+4930222222' }, HANG_UP];

  it.each([
    ['desk', 'shop'],
    ['bye', 'desk'],
    ['desk', 'bye'],
    ['bye', 'bye'],
  ])('have one result each: %s, then %s', (first, second) => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools }] },
      model: [{ toolCalls: [{ name: first }, { name: second }] }, { text: 'Sorry.' }],
    })
      .userSpeaks(0.5, 1, 'That is all.')
      .userSpeaks(1.9, 2.6, 'Wait stop I have another question.')
      .at(6, (simulation) => simulation.emitControlEvent({ type: 'transfer_failed', reason: 'busy' }))
      .runUntil(10);
    const calledIds = call.journalEntries('tool_called').map(({ toolCallId }) => toolCallId);
    expect(calledIds.toSorted()).toEqual(['c1_0', 'c1_1']);
    const results = call.modelRequests[1]?.messages.flatMap((message) =>
      message.role === 'tool' ? [message.content] : [],
    );
    expect(results).toHaveLength(2);
    expect(results?.[1]).toMatch(/^Not done: the (call ends|caller is transferred) already\.$/);
    expect(call.commands.filter(({ type }) => type === 'call.transfer').length).toBeLessThanOrEqual(1);
  });
});

describe('goodbye', () => {
  const callThatHangsUp = () =>
    new Simulation({
      agent: { states: [{ name: 'start', tools: [HANG_UP] }] },
      model: [{ toolCalls: [{ name: 'bye' }] }],
    }).userSpeaks(0.5, 1.5, 'That is all.');

  it('plays to its end when the last transcriber fails, and nothing cancels the hang-up', () => {
    const call = callThatHangsUp()
      .at(2.5, (simulation) => simulation.emitTranscriberEvent(FATAL_FAILURE))
      .at(2.7, (simulation) =>
        simulation.handle.post({ type: 'call.say', text: 'Your order is ready.', interrupt: true }),
      );
    call.userPresses(2.8, '1#').runUntil(30);
    expect(call.heardTexts.join(' ')).toBe(HANG_UP.filler_sentence);
    expect(call.endReason).toBe('agent_hangup');
    expect(call.journalEntries('tool_called').map(({ successful }) => successful)).toEqual([true]);
  });

  it('plays to its end when the transcriber fails during an interruption', () => {
    const call = callThatHangsUp()
      .at(2.5, (simulation) => simulation.media.emit({ type: 'speech_started', audioMs: 2_500 }))
      .at(2.7, (simulation) => simulation.emitTranscriberEvent(FATAL_FAILURE))
      .runUntil(30);
    expect(call.heard.at(-1)?.text).toContain('pleasure');
    expect(call.endReason).toBe('agent_hangup');
  });
});
