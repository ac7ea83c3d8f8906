import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const LOST = {
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

function press(call: Simulation, at: number, digits: string): Simulation {
  return [...digits].reduce(
    (one, digit, index) => one.at(at + index / 10, () => one.media.emit({ type: 'dtmf', digit, durationMs: 100 })),
    call,
  );
}

/** The transcriber dies at 2 s; its apology is heard from 2.2 s on. */
const deaf = (agent: object = {}) =>
  new Simulation({ agent: { initial_message: 'Hello.', ...agent } }).at(2, (one) => one.emitTranscriberEvent(LOST));

describe('an end that the call decided', () => {
  it('comes where the user presses keys meanwhile', () => {
    const call = press(deaf(), 2.6, '1#').runUntil(30);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.heard.at(-1)?.text).toContain(APOLOGY);
    expect(call.modelRequests).toEqual([]);
  });

  it('comes where the API has something to say at once', () => {
    const call = deaf()
      .at(2.6, (one) => one.handle.post({ type: 'call.say', text: 'Your order is ready.', interrupt: true }))
      .runUntil(30);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.heard.map(({ text }) => text)).not.toContain('Your order is ready.');
  });

  it('comes where the playout is stuck', () => {
    const call = deaf()
      .at(2.6, (one) => one.media.pause())
      .runUntil(60);
    expect(call.endReason).toBe('transcriber_error');
  });

  it('comes once, with one apology, whatever else fails', () => {
    const call = deaf()
      .at(2.6, (one) => one.emitTranscriberEvent(LOST))
      .runUntil(30);
    expect(call.journalEntries('ended').map(({ reason }) => reason)).toEqual(['transcriber_error']);
    expect(call.heard.filter(({ text }) => text.includes(APOLOGY))).toHaveLength(1);
  });

  it('says nothing where the transcriber fails after it', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello.' } })
      .at(2, (one) => one.handle.post({ type: 'call.terminate', reason: 'terminated' }))
      .at(2.01, (one) => one.emitTranscriberEvent(LOST))
      .runUntil(30);
    expect(call.endReason).toBe('terminated');
    expect(call.heard.map(({ text }) => text)).toEqual(['Hello.']);
    expect(call.commands.filter(({ type }) => type === 'voice.speak')).toHaveLength(1);
  });

  it('waits for a transfer that was under way, and comes where it fails', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [DESK] }] },
      model: [{ toolCalls: [{ name: 'desk' }] }],
    })
      .userSpeaks(0.5, 1, 'The desk please.')
      .at(4, (one) => one.emitTranscriberEvent(LOST))
      .at(5, (one) => one.emitControlEvent({ type: 'transfer_failed', reason: 'busy' }))
      .runUntil(30);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.heard.at(-1)?.text).toContain(APOLOGY);
    expect(call.modelRequests).toHaveLength(1);
  });
});

describe('a transfer that the model asked for', () => {
  const scenario = {
    agent: { states: [{ name: 'start', tools: [{ ...DESK, filler_sentence: 'One moment, I am connecting you.' }] }] },
    model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Shall I try again?' }],
  };

  it('comes where what is said before it is stuck in the playout, of which nobody heard more', () => {
    const call = new Simulation({ ...scenario, transfer: { after: 1, succeeds: true } })
      .userSpeaks(0.5, 1, 'The desk please.')
      .at(2.1, (one) => one.media.pause())
      .runUntil(60);
    expect(call.endReason).toBe('transferred');
    expect(call.dialogue).toEqual(['user: The desk please.', 'agent: One moment,']);
  });

  it.each([
    [
      'the last transcriber dies',
      {},
      'transcriber_error',
      (call: Simulation) => call.at(2.1, (one) => one.emitTranscriberEvent(LOST)),
    ],
    ['no voice is left to say so', { voice: { fails: 'always' } } as const, 'voice_error', (call: Simulation) => call],
    [
      'neither is left',
      { voice: { failsAt: [{ textIndex: 0, afterMs: 600, retryable: false }], after: 1 } } as const,
      'transcriber_error',
      (call: Simulation) => call.at(2.1, (one) => one.emitTranscriberEvent(LOST)),
    ],
  ])('comes where %s, without an apology; that one comes where it fails', (_, given, reason, act) => {
    const spoken = (succeeds: boolean) => {
      const call = new Simulation({ ...scenario, ...given, transfer: { after: 1, succeeds } });
      return act(call.userSpeaks(0.5, 1, 'The desk please.')).runUntil(60);
    };
    const call = spoken(true);
    expect(call.endReason).toBe('transferred');
    expect(call.journalEntries('tool_called').map(({ successful }) => successful)).toEqual([true]);
    const said = (one: Simulation) => one.commands.flatMap((each) => (each.type === 'voice.speak' ? [each.text] : []));
    expect(said(call).filter((text) => text.includes(APOLOGY))).toEqual([]);
    const failed = spoken(false);
    expect(failed.endReason).toBe(reason);
    expect(said(failed).some((text) => text.includes(APOLOGY))).toBe(true);
    expect(failed.modelRequests).toHaveLength(1);
  });
});

describe('an end that the model asked for', () => {
  const scenario = {
    agent: { states: [{ name: 'start', tools: [HANG_UP] }] },
    model: [{ toolCalls: [{ name: 'bye' }] }, { text: 'Fine.' }],
  };

  it('comes where the goodbye is stuck in the playout', () => {
    const call = new Simulation(scenario)
      .userSpeaks(0.5, 1, 'That is all.')
      .at(2, (one) => one.media.pause())
      .runUntil(60);
    expect(call.endReason).toBe('agent_hangup');
  });

  it('is taken back by keys, and the model and the transcript tell the truth', () => {
    const call = press(new Simulation(scenario).userSpeaks(0.5, 1, 'That is all.'), 2, '1#').runUntil(10);
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

  it('does not wait for a function that still runs, which has its one result', () => {
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

describe('keys pressed while the agent is not to be interrupted', () => {
  it.each([{ initial_message_interruptible: false }, { interruptions: false }])(
    'are answered after it: %j',
    (given) => {
      const agent = { initial_message: 'One two three four five six.', ...given };
      const call = press(new Simulation({ agent }), 0.5, '1#2#').runUntil(10);
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

  it('end as an entry by their pause also during a transfer', () => {
    const call = press(
      new Simulation({
        agent: { states: [{ name: 'start', tools: [DESK] }] },
        model: [{ toolCalls: [{ name: 'desk' }] }],
      }).userSpeaks(0.5, 1, 'The desk please.'),
      4,
      '1',
    )
      .at(10, (one) => one.emitControlEvent({ type: 'transfer_failed', reason: 'busy' }))
      .runUntil(20);
    expect(call.transcript.find(({ role }) => role === 'dtmf')?.content).toBe('1');
    expect(call.handle.view().agentState).toBe('listening');
  });
});

describe('calls of one answer that exclude each other', () => {
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
      .at(6, (one) => one.emitControlEvent({ type: 'transfer_failed', reason: 'busy' }))
      .runUntil(10);
    const told = call.journalEntries('tool_called').map(({ toolCallId }) => toolCallId);
    expect(told.toSorted()).toEqual(['c1_0', 'c1_1']);
    const results = call.modelRequests[1]?.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []));
    expect(results).toHaveLength(2);
    expect(results?.[1]).toMatch(/^Not done: the (call ends|caller is transferred) already\.$/);
    expect(call.commands.filter(({ type }) => type === 'call.transfer').length).toBeLessThanOrEqual(1);
  });
});

describe('a goodbye', () => {
  const goodbye = () =>
    new Simulation({
      agent: { states: [{ name: 'start', tools: [HANG_UP] }] },
      model: [{ toolCalls: [{ name: 'bye' }] }],
    }).userSpeaks(0.5, 1.5, 'That is all.');

  it('is the last word where the last transcriber dies meanwhile, and nothing takes the end back', () => {
    const call = goodbye()
      .at(2.5, (one) => one.emitTranscriberEvent(LOST))
      .at(2.7, (one) => one.handle.post({ type: 'call.say', text: 'Your order is ready.', interrupt: true }));
    press(call, 2.8, '1#').runUntil(30);
    expect(call.heard.map(({ text }) => text).join(' ')).toBe(HANG_UP.filler_sentence);
    expect(call.endReason).toBe('agent_hangup');
    expect(call.journalEntries('tool_called').map(({ successful }) => successful)).toEqual([true]);
  });

  it('is said to its end where the user had begun to speak into it', () => {
    const call = goodbye()
      .at(2.5, (one) => one.media.emit({ type: 'speech_started', audioMs: 2_500 }))
      .at(2.7, (one) => one.emitTranscriberEvent(LOST))
      .runUntil(30);
    expect(call.heard.at(-1)?.text).toContain('pleasure');
    expect(call.endReason).toBe('agent_hangup');
  });
});
