import { describe, expect, it } from 'vitest';
import { CHARACTER_MS, FINAL_MS, HANG_UP_MS, MODEL_MS, RESPONSE_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const WITH_INITIAL_MESSAGE = { initial_message: 'Hello.' };
const heardGreeting = (fromMs: number) => [{ text: 'Hello.', fromMs, toMs: fromMs + 'Hello.'.length * CHARACTER_MS }];
const LOOKUP = {
  type: 'custom_function' as const,
  name: 'lookup',
  url: 'https://example.com/{{city}}',
  parameters: [{ name: 'day', type: 'string' as const }],
  response_mapping: [{ json_path_to_data: '$.price', destination_variable: 'price' }],
};
const HANG_UP = { type: 'hang_up' as const, name: 'bye', filler_sentence: 'Goodbye.' };

describe('the initial message', () => {
  it('is spoken as soon as the call is answered', () => {
    const call = new Simulation({ agent: WITH_INITIAL_MESSAGE }).runUntil(2);
    expect(call.heard).toEqual(heardGreeting(VOICE_MS));
    expect(call.modelRequests).toHaveLength(0);
  });

  it('waits for its delay', () => {
    const call = new Simulation({ agent: { ...WITH_INITIAL_MESSAGE, initial_message_delay: 2 } }).runUntil(4);
    expect(call.heard).toEqual(heardGreeting(2_000 + VOICE_MS));
  });

  it('replaces the model’s answer to a user who speaks before it', () => {
    const call = new Simulation({ agent: { ...WITH_INITIAL_MESSAGE, initial_message_delay: 5 } })
      .userSpeaks(0.5, 1, 'Hello?')
      .runUntil(10);
    expect(call.heard).toEqual(heardGreeting(1_000 + FINAL_MS + VOICE_MS));
    expect(call.modelRequests).toHaveLength(0);
  });

  it.each([
    { moment: 'before it is due', delaySeconds: 5, toSeconds: 1.5 },
    { moment: 'before its first audio', delaySeconds: 0, toSeconds: 1.5 },
  ])('is followed by the answer to a question that the user asks $moment', ({ delaySeconds, toSeconds }) => {
    const call = new Simulation({
      agent: { ...WITH_INITIAL_MESSAGE, initial_message_delay: delaySeconds },
      model: [{ text: 'I am Anna.' }],
    })
      .interimAt(0.1, 0, 'Who are')
      .userSpeaks(0, toSeconds, 'Who are you?')
      .runUntil(10);
    expect(call.dialogue).toEqual(['user: Who are you?', 'agent: Hello.', 'agent: I am Anna.']);
    expect(call.heard.slice(-2).map(({ fromMs }) => fromMs)).toEqual([
      toSeconds * 1_000 + FINAL_MS + VOICE_MS,
      toSeconds * 1_000 + FINAL_MS + VOICE_MS + 'Hello.'.length * CHARACTER_MS + MODEL_MS + VOICE_MS,
    ]);
    expect(call.modelRequests).toHaveLength(1);
    expectReplay(call);
  });

  it.each(['Hello?', 'Good morning.', 'Yes, hi there.', 'Wait, one moment.'])('is the only answer to «%s»', (words) => {
    const call = new Simulation({ agent: { ...WITH_INITIAL_MESSAGE, initial_message_delay: 5 } })
      .userSpeaks(0.5, 1.5, words)
      .runUntil(10);
    expect(call.dialogue).toEqual([`user: ${words}`, 'agent: Hello.']);
    expect(call.modelRequests).toHaveLength(0);
  });

  it('is skipped if it is empty, and the agent listens', () => {
    const call = new Simulation({ agent: {} }).runUntil(5);
    expect(call.heard).toEqual([]);
    expect(call.handle.view().agentState).toBe('listening');
  });
});

describe('a new turn while the model thinks', () => {
  it('drops the generation and requests another one with all words', () => {
    const call = new Simulation({
      agent: {},
      model: [
        { after: 3, text: 'One.' },
        { after: 0.1, text: 'Two.' },
      ],
    })
      .userSpeaks(0.5, 1.5, 'I need a table.')
      .userSpeaks(2, 3, 'For four people.')
      .runUntil(10);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1))).toEqual([
      { role: 'user', content: 'I need a table.' },
      { role: 'user', content: 'I need a table. For four people.' },
    ]);
    expect(call.cancelledGenerations).toBe(1);
    expect(call.heard.map(({ text }) => text)).toEqual(['Two.']);
  });

  it('runs no tool of the dropped generation', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [LOOKUP, HANG_UP] }] },
      model: [
        { after: 3, toolCalls: [{ name: 'lookup', arguments: { day: 'today' } }, { name: 'bye' }] },
        { text: 'Two.' },
      ],
    })
      .userSpeaks(0.5, 1.5, 'What does it cost?')
      .userSpeaks(2, 3, 'No, forget it.')
      .runUntil(10);
    expect(call.toolRuns).toEqual([]);
    expect(call.endReason).toBeNull();
    expect(call.heard.map(({ text }) => text)).toEqual(['Two.']);
  });
});

describe('a custom function', () => {
  const agent = {
    variables: [{ name: 'city' }, { name: 'price', type: 'number' as const }],
    states: [{ name: 'start', tools: [{ ...LOOKUP, filler_sentence: 'One moment.' }] }],
  };

  it('runs while its filler is spoken, and the model continues with its result', () => {
    const call = new Simulation({
      agent,
      parameters: { dynamicVariables: { city: 'São Paulo/x' } },
      model: [{ toolCalls: [{ name: 'lookup', arguments: { day: 'today' } }] }, { text: 'It is ten.' }],
      tools: {
        lookup: { after: 0.3, result: { content: '{"price":"10"}', mapped: [{ variable: 'price', value: '10' }] } },
      },
    })
      .userSpeaks(0.5, 1.5, 'What does it cost?')
      .runUntil(10);
    expect(call.toolRuns.map(({ url, values }) => ({ url, values }))).toEqual([
      { url: 'https://example.com/S%C3%A3o%20Paulo%2Fx', values: { day: 'today' } },
    ]);
    expect(call.heard.map(({ text }) => text)).toEqual(['One moment.', 'It is ten.']);
    expect(call.modelRequests[1]?.messages.slice(1)).toEqual([
      { role: 'user', content: 'What does it cost?' },
      {
        role: 'assistant',
        content: 'One moment.',
        toolCalls: [{ id: 'c1_0', name: 'lookup', arguments: '{"day":"today"}' }],
      },
      { role: 'tool', toolCallId: 'c1_0', content: '{"price":"10"}' },
    ]);
    expect(call.journalEntries('variable').find(({ name }) => name === 'price')?.value).toBe(10);
    expect(call.transcript.map(({ role }) => role)).toEqual(['user', 'tool_call', 'agent', 'tool_response', 'agent']);
  });

  it('is still running for the user’s next question, and its result is a separate message', () => {
    const call = new Simulation({
      agent,
      parameters: { dynamicVariables: { city: 'Kiel' } },
      model: [{ toolCalls: [{ name: 'lookup', arguments: { day: 'today' } }] }, { text: 'Fine.' }],
      tools: { lookup: { after: 4, result: { content: 'done' } } },
    })
      .userSpeaks(0.5, 1.5, 'What does it cost?')
      .userSpeaks(2.1, 3.1, 'Hurry up please.')
      .runUntil(10);
    expect(call.toolRuns).toHaveLength(1);
    expect(call.modelRequests).toHaveLength(3);
    const question = [
      {
        role: 'assistant',
        content: 'One moment.',
        toolCalls: [{ id: 'c1_0', name: 'lookup', arguments: '{"day":"today"}' }],
      },
      { role: 'tool', toolCallId: 'c1_0', content: expect.stringContaining('Still running.') },
      { role: 'user', content: 'Hurry up please.' },
    ];
    expect(call.modelRequests[1]?.messages.slice(2)).toEqual(question);
    expect(call.modelRequests[2]?.messages.slice(2)).toEqual([
      ...question,
      { role: 'assistant', content: 'Fine.' },
      { role: 'user', content: '[Not said by the caller. The function lookup has answered: "done"]' },
    ]);
  });

  it('is rejected if it is unknown, and after two errors the model must answer in words', () => {
    const call = new Simulation({
      agent,
      model: [
        { toolCalls: [{ name: 'nope' }] },
        { toolCalls: [{ name: 'lookup', arguments: '{"day":' }] },
        { text: 'Sorry.' },
      ],
    })
      .userSpeaks(0.5, 1.5, 'What does it cost?')
      .runUntil(10);
    expect(call.toolRuns).toEqual([]);
    expect(call.modelRequests.map(({ functions }) => functions.length)).toEqual([1, 1, 0]);
    expect(call.modelRequests[2]?.messages.slice(2)).toEqual([
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1_0', name: 'nope', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'c1_0', content: 'Not done. There is no function «nope» here.' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c2_0', name: 'lookup', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'c2_0', content: 'Not done. The arguments were not a JSON object.' },
    ]);
    expect(call.heard.map(({ text }) => text)).toEqual(['Sorry.']);
  });

  it('is called at most eight times a turn', () => {
    const lookupResponse = { after: 0.05, toolCalls: [{ name: 'lookup', arguments: { day: 'x' } }] };
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [LOOKUP] }] },
      parameters: { dynamicVariables: { city: 'Kiel' } },
      model: Array.from({ length: 20 }, () => lookupResponse),
    })
      .userSpeaks(0.5, 1.5, 'Go.')
      .runUntil(20);
    expect(call.modelRequests).toHaveLength(8);
    expect(call.heard.map(({ text }) => text).join(' ')).toMatch(/lost the thread/);
    expect(call.modelRequests.at(-1)?.functions).toEqual([]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('gets a timeout as its result if the runner never answers', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [{ ...LOOKUP, timeout: 1 }] }] },
      parameters: { dynamicVariables: { city: 'Kiel' } },
      model: [{ toolCalls: [{ name: 'lookup', arguments: { day: 'x' } }] }, { text: 'No answer.' }],
      tools: { lookup: { after: 500, result: {} } },
    })
      .userSpeaks(0.5, 1.5, 'Go.')
      .runUntil(20);
    expect(call.modelRequests[1]?.messages.at(-1)).toEqual({
      role: 'tool',
      toolCallId: 'c1_0',
      content: 'It did not answer in time.',
    });
    expect(call.heard.map(({ text }) => text).at(-1)).toBe('No answer.');
    const names = call.handle.view().variables.map(({ name }) => name);
    expect(names.toSorted()).toEqual(['call_id', 'call_start_time', 'city', 'from_number', 'to_number']);
  });

  it('gets a failed result if the call ends before its answer', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [LOOKUP] }] },
      parameters: { dynamicVariables: { city: 'Kiel' } },
      model: [{ toolCalls: [{ name: 'lookup', arguments: { day: 'x' } }] }],
      tools: { lookup: { after: 5, result: {} } },
    })
      .userSpeaks(0.5, 1.5, 'Go.')
      .hangUpAt(3)
      .runUntil(10);
    expect(call.transcript.filter(({ role }) => role === 'tool_response')).toMatchObject([
      { successful: false, content: 'The call ended before it answered.' },
    ]);
  });
});

describe('a transition', () => {
  const states = [
    {
      name: 'start',
      prompt: 'You greet.',
      transitions: [
        { condition: 'they want a table', destination_state_name: 'table', filler_sentence: 'Gladly.' },
        { condition: 'they want to leave', destination_state_name: '__proto__' },
      ],
    },
    { name: 'table', prompt: 'You book.' },
    { name: '__proto__', prompt: 'You end.' },
  ];

  it('speaks its filler, changes the state and continues in the same turn', () => {
    const call = new Simulation({
      agent: { states },
      model: [{ toolCalls: [{ name: 'go_to_table' }] }, { text: 'For how many?' }],
    })
      .userSpeaks(0.5, 1.5, 'A table please.')
      .runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['Gladly.', 'For how many?']);
    expect(call.modelRequests[0]?.messages[0]?.content).toContain('You greet.');
    expect(call.modelRequests[1]?.messages[0]?.content).toContain('You book.');
    expect(call.modelRequests[1]?.messages[0]?.content).not.toContain('You greet.');
    expect(call.journalEntries('state').map(({ from, to }) => [from, to])).toEqual([
      [null, 'start'],
      ['start', 'table'],
    ]);
    expect(call.handle.view().state).toBe('table');
  });

  it('happens once: of two in one response, the first is taken', () => {
    const [, leaveFunction] = [
      ...(new Simulation({ agent: { states } }).userSpeaks(0.5, 1, 'Go.').runUntil(3).modelRequests[0]?.functions ??
        []),
    ];
    const call = new Simulation({
      agent: { states },
      model: [{ toolCalls: [{ name: leaveFunction?.name ?? '' }, { name: 'go_to_table' }] }, { text: 'Bye.' }],
    })
      .userSpeaks(0.5, 1.5, 'I want to leave.')
      .runUntil(10);
    expect(call.handle.view().state).toBe('__proto__');
    expect(call.journalEntries('state')).toHaveLength(2);
    expect(call.modelRequests[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
  });
});

describe('a hang-up by the agent', () => {
  const agent = { states: [{ name: 'start', tools: [HANG_UP] }] };

  it('waits until the goodbye was played', () => {
    const call = new Simulation({ agent, model: [{ text: 'Thank you.', toolCalls: [{ name: 'bye' }] }] })
      .userSpeaks(0.5, 1.5, 'That is all.')
      .runUntil(10);
    const thanksMs = 1_500 + RESPONSE_MS;
    const goodbyeMs = thanksMs + 'Thank you.'.length * CHARACTER_MS;
    const goodbyeEndMs = goodbyeMs + 'Goodbye.'.length * CHARACTER_MS;
    expect(call.heard).toEqual([
      { text: 'Thank you.', fromMs: thanksMs, toMs: goodbyeMs },
      { text: 'Goodbye.', fromMs: goodbyeMs, toMs: goodbyeEndMs },
    ]);
    expect(call.endReason).toBe('agent_hangup');
    expect(call.journalEntries('ended').map(({ atUs }) => atUs / 1000)).toEqual([goodbyeEndMs + HANG_UP_MS]);
    expect(call.modelRequests).toHaveLength(1);
  });

  it('is cancelled if the user continues to speak', () => {
    const call = new Simulation({
      agent,
      model: [{ toolCalls: [{ name: 'bye' }] }, { text: 'Of course.' }],
      voice: { characterMs: 200 },
    })
      .userSpeaks(0.5, 1.5, 'That is all.')
      .userSpeaks(2.2, 3.2, 'Wait, one more question.')
      .runUntil(12);
    expect(call.endReason).toBeNull();
    expect(call.modelRequests[1]?.messages.find(({ role }) => role === 'tool')?.content).toContain('the call goes on');
    expect(call.heard.at(-1)?.text).toBe('Of course.');
  });

  it('is not cancelled by a farewell of the user', () => {
    const call = new Simulation({ agent, model: [{ toolCalls: [{ name: 'bye' }] }], voice: { characterMs: 200 } })
      .userSpeaks(0.5, 1.5, 'That is all.')
      .userSpeaks(2.2, 2.9, 'Thank you, bye bye.')
      .runUntil(12);
    expect(call.endReason).toBe('agent_hangup');
    expect(call.modelRequests).toHaveLength(1);
  });
});
