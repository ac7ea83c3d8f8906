import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { FINAL_MS, MODEL_MS, RESPONSE_MS, VOICE_MS } from '../simulation/default-timing.ts';
import type { ModelResponse, Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = {
  type: 'custom_function' as const,
  name: 'lookup',
  url: 'https://example.com',
  parameters: [{ name: 'day' }],
};
const OTHER = { ...LOOKUP, name: 'other', parameters: [] };
const ARGUMENTS = { day: 'today' };

function callWithTools(model: readonly ModelResponse[], overrides: Partial<Scenario> = {}): Simulation {
  return new Simulation({ agent: { states: [{ name: 'start', tools: [LOOKUP, OTHER] }] }, model, ...overrides });
}

const toolResults = (call: Simulation, nth = 1) =>
  call.modelRequests[nth]?.messages.flatMap((message) =>
    message.role === 'tool' ? [[message.toolCallId, message.content]] : [],
  );

describe('tool calls of one model response', () => {
  it('run in parallel, and the model continues after the last result', () => {
    const call = callWithTools(
      [{ toolCalls: [{ name: 'lookup', arguments: ARGUMENTS }, { name: 'other' }] }, { text: 'Done.' }],
      {
        tools: {
          lookup: { after: 2, result: { content: 'slow' } },
          other: { after: 1, result: { content: 'fast' } },
        },
      },
    )
      .userSpeaks(0.5, 1.5, 'Both please.')
      .runUntil(10);
    const runs = call.tape.filter(({ commands }) => commands.some(({ type }) => type === 'tool.run'));
    expect(runs).toHaveLength(1);
    expect(toolResults(call)).toEqual([
      ['c1_0', 'slow'],
      ['c1_1', 'fast'],
    ]);
    expect(call.heard.map(({ fromMs }) => fromMs)).toEqual([1_500 + FINAL_MS + MODEL_MS + 2_000 + MODEL_MS + VOICE_MS]);
  });

  it.each([
    ['a repeated id', ['x', 'x'], ['x', 'call_1_1']],
    ['no id', ['', ''], ['call_1_0', 'call_1_1']],
    ['ids that providers reject', ['a b', 'y'.repeat(65)], ['call_1_0', 'call_1_1']],
    ['an id of our own scheme', ['call_1_1', ''], ['call_1_1', 'call_1_1_1']],
  ])('get unique ids and one result each with %s', (_ids, modelIds, ids) => {
    const [first = '', second = ''] = modelIds;
    const call = callWithTools([
      {
        toolCalls: [
          { name: 'lookup', arguments: ARGUMENTS, id: first },
          { name: 'other', id: second },
        ],
      },
      { text: 'Done.' },
    ])
      .userSpeaks(0.5, 1.5, 'Both please.')
      .runUntil(10);
    expect(toolResults(call)?.map(([id]) => id)).toEqual(ids);
    expect(call.journalEntries('tool_called').map(({ toolCallId }) => toolCallId)).toEqual(ids);
    for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
  });

  it('get unique ids if later responses repeat them, even after the history was shortened', () => {
    const turns = 30;
    const call = callWithTools(
      Array.from({ length: turns }, () => [{ toolCalls: [{ name: 'other', id: 'same' }] }, { text: 'Well.' }]).flat(),
      { tools: { other: { after: 0.1, result: { content: 'x'.repeat(8_000) } } } },
    );
    for (let turn = 0; turn < turns; turn++) call.userSpeaks(turn * 8 + 1, turn * 8 + 2, 'Again please.');
    call.runUntil(turns * 8 + 10);
    expect(call.summaryRequests.length).toBeGreaterThan(0);
    const ids = call.journalEntries('tool_called').map(({ toolCallId }) => toolCallId);
    expect(ids).toHaveLength(turns);
    expect(new Set(ids).size).toBe(turns);
    for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
  });

  it('run beside an invalid call, and both get a result', () => {
    const call = callWithTools([{ toolCalls: [{ name: 'nope' }, { name: 'other' }] }, { text: 'Done.' }])
      .userSpeaks(0.5, 1.5, 'Both please.')
      .runUntil(10);
    expect(call.toolRuns.map(({ tool }) => tool.name)).toEqual(['other']);
    expect(toolResults(call)).toEqual([
      ['c1_0', 'Not done. There is no function «nope» here.'],
      ['c1_1', '{}'],
    ]);
  });

  it('are limited to sixteen', () => {
    const toolCalls = Array.from({ length: 40 }, () => ({ name: 'other' }));
    const call = callWithTools([{ toolCalls }, { text: 'Done.' }])
      .userSpeaks(0.5, 1.5, 'All of it.')
      .runUntil(10);
    expect(call.toolRuns).toHaveLength(16);
    expect(toolResults(call)).toHaveLength(16);
  });
});

describe('two tool calls that exclude each other', () => {
  const DESK = { type: 'transfer_call' as const, name: 'desk', destination: '+4930111111' };
  const BYE = { type: 'hang_up' as const, name: 'bye', filler_sentence: 'Goodbye then.' };

  it('take the first of two transitions, and report both outcomes to the model', () => {
    const call = new Simulation({
      agent: {
        states: [
          {
            name: 'start',
            transitions: [
              { condition: 'they order', destination_state_name: 'order' },
              { condition: 'they complain', destination_state_name: 'complaint' },
            ],
          },
          { name: 'order' },
          { name: 'complaint' },
        ],
      },
      model: [{ toolCalls: [{ name: 'go_to_order' }, { name: 'go_to_complaint' }] }, { text: 'What would you like?' }],
    })
      .userSpeaks(0.5, 1.5, 'I want to order and to complain.')
      .runUntil(10);
    expect(toolResults(call)).toEqual([
      ['c1_0', 'Done: go on from here, in the same turn.'],
      ['c1_1', 'Not done: the conversation has already moved on.'],
    ]);
    expect(call.handle.view().state).toBe('order');
    expect(call.journalEntries('state').map(({ to }) => to)).toEqual(['start', 'order']);
    expect(call.transcript.filter(({ role }) => role === 'state_transition')).toMatchObject([
      { from: 'start', to: 'order', condition: 'they order', content: '' },
    ]);
  });

  it.each([
    ['bye', 'desk', 'Not done: the call ends already.'],
    ['desk', 'bye', 'Not done: the caller is transferred already.'],
  ])('let %s end the call and reject %s', (first, second, expectedContent) => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [DESK, BYE] }] },
      model: [{ toolCalls: [{ name: first }, { name: second }] }],
      transfer: { after: 2, succeeds: true },
    })
      .userSpeaks(0.5, 1.5, 'That is all.')
      .runUntil(10);
    const responses = call.transcript.flatMap((entry) =>
      entry.role === 'tool_response' ? [[entry.name, entry.successful, entry.content]] : [],
    );
    expect(responses).toContainEqual([second, false, expectedContent]);
    const called = call.transcript.flatMap((entry) => (entry.role === 'tool_call' ? [entry.name] : []));
    expect(called).toEqual([first, second]);
    expect(call.endReason).toBe(first === 'bye' ? 'agent_hangup' : 'transferred');
    expect(call.heard.map(({ text }) => text)).toEqual(first === 'bye' ? ['Goodbye then.'] : []);
  });
});

describe('an invalid tool call', () => {
  it.each(['', 'look it up!', 'nachschlagen_für_den_Anrufer', 'x'.repeat(80)])(
    'enters the history with a function name that providers accept: «%s»',
    (name) => {
      const call = callWithTools([{ toolCalls: [{ name, arguments: 'null' }] }, { text: 'Done.' }])
        .userSpeaks(0.5, 1.5, 'Look it up.')
        .runUntil(10);
      expect(call.modelRequests).toHaveLength(2);
      for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
      expect(call.transcript.filter(({ role }) => role === 'tool_call')).toMatchObject([
        { toolType: 'unknown', arguments: {} },
      ]);
      expect(toolResults(call)?.[0]?.[1]).toBe(`Not done. There is no function «${name.slice(0, 64)}» here.`);
    },
  );

  it.each([
    ['{"day":', 'Not done. The arguments were not a JSON object.'],
    ['[1]', 'Not done. The arguments were not a JSON object.'],
    ['"day"', 'Not done. The arguments were not a JSON object.'],
    ['{}', 'Not done. «day» must be given, as string.'],
    ['{"day":null}', 'Not done. «day» must be given, as string.'],
    ['{"day":""}', 'Not done. «day» must be given, as string.'],
  ])('is reported to the model, which may try again, if the arguments are %s', (text, expectedContent) => {
    const call = callWithTools([
      { toolCalls: [{ name: 'lookup', arguments: text }] },
      { toolCalls: [{ name: 'lookup', arguments: ARGUMENTS }] },
      { text: 'Done.' },
    ])
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .runUntil(10);
    expect(toolResults(call)).toEqual([['c1_0', expectedContent]]);
    expect(call.toolRuns.map(({ values }) => values)).toEqual([ARGUMENTS]);
    expect(call.heard.map(({ text: said }) => said)).toEqual(['Done.']);
    for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
  });

  it('is rejected without harm if its arguments are nested too deeply', () => {
    const nested = `{"day":${'['.repeat(9_000)}${']'.repeat(9_000)}}`;
    const call = callWithTools([{ toolCalls: [{ name: 'lookup', arguments: nested }] }, { text: 'Done.' }])
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .runUntil(10);
    expect(toolResults(call)).toEqual([['c1_0', 'Not done. The arguments were not a JSON object.']]);
    expect(call.endReason).toBeNull();
    for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
  });

  it('is reported with its value if the type is wrong', () => {
    const sized = { ...LOOKUP, parameters: [{ name: 'size', type: 'integer' as const }] };
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [sized] }] },
      model: [{ toolCalls: [{ name: 'lookup', arguments: { size: 3.5 } }] }, { text: 'Done.' }],
    })
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .runUntil(10);
    expect(toolResults(call)).toEqual([['c1_0', 'Not done. «size» must be of type integer, and is 3.5.']]);
    expect(call.transcript.filter(({ role }) => role === 'tool_call')).toMatchObject([{ arguments: { size: 3.5 } }]);
  });

  it('ends the turn the third time', () => {
    const invalidCall = { toolCalls: [{ name: 'nope' }] };
    const call = callWithTools([invalidCall, invalidCall, invalidCall, invalidCall])
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .runUntil(20);
    expect(call.modelRequests).toHaveLength(3);
    expect(call.modelRequests[2]?.functions).toEqual([]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('causes an apology the third time, unless the response has words or a tool still runs', () => {
    const invalidCall = { toolCalls: [{ name: 'nope' }] };
    const tools = { other: { after: 1, result: { content: 'ten' } } };
    const thirdResponse = (response: ModelResponse) =>
      callWithTools([invalidCall, invalidCall, response, { text: 'It is ten.' }], { tools })
        .userSpeaks(0.5, 1.5, 'Look it up.')
        .runUntil(8);
    expect(thirdResponse(invalidCall).heard.map(({ text }) => text)).toEqual([
      'I am sorry, I have lost the thread.',
      'Could you say that again, please?',
    ]);
    expect(thirdResponse({ ...invalidCall, text: 'I cannot.' }).heard.map(({ text }) => text)).toEqual(['I cannot.']);
    const withRunningTool = thirdResponse({ toolCalls: [{ name: 'nope' }, { name: 'other' }] });
    expect(withRunningTool.heard.map(({ text }) => text)).toEqual(['It is ten.']);
  });

  it('is not counted in the next turn', () => {
    const invalidCall = { toolCalls: [{ name: 'nope' }] };
    const call = callWithTools([invalidCall, invalidCall, { text: 'Sorry.' }, invalidCall, { text: 'Well.' }])
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .userSpeaks(5, 6, 'And now?')
      .runUntil(20);
    expect(call.modelRequests.map(({ functions }) => functions.length)).toEqual([2, 2, 0, 2, 2]);
  });
});

describe('the wait tool', () => {
  const WAIT = { type: 'wait' as const, name: 'give_time', duration: 90 };
  const agent = {
    presence_check_phrases: ['Are you there?'],
    presence_check_idle_threshold: 5,
    presence_check_max_times: 3,
    states: [{ name: 'start', tools: [WAIT] }],
  };

  it('keeps the agent silent and listening, and delays the presence check', () => {
    const call = new Simulation({ agent, model: [{ toolCalls: [{ name: 'give_time' }] }] })
      .userSpeaks(0.5, 1.5, 'One moment, I am looking for my card.')
      .runUntil(95);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.handle.view().agentState).toBe('listening');
    const calledMs = 1_500 + FINAL_MS + MODEL_MS;
    const checkMs = calledMs + WAIT.duration * 1000 + VOICE_MS;
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([['Are you there?', checkMs]]);
    expect(call.journalEntries('tool_called').map(({ successful }) => successful)).toEqual([true]);
  });

  it('ends when the user speaks, and the agent answers at once', () => {
    const call = new Simulation({ agent, model: [{ toolCalls: [{ name: 'give_time' }] }, { text: 'Thank you.' }] })
      .userSpeaks(0.5, 1.5, 'One moment please.')
      .userSpeaks(30, 31, 'I have it here.')
      .runUntil(32.5);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([['Thank you.', 31_000 + RESPONSE_MS]]);
    expect(toolResults(call)).toEqual([['c1_0', 'The caller is given the time.']]);
  });
});

describe('the run of a custom function', () => {
  it('is rejected if its URL cannot be built', () => {
    const tool = { ...LOOKUP, url: 'https://{{host}}/look', parameters: [] };
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [tool] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'I cannot.' }],
    })
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .runUntil(10);
    expect(call.toolRuns).toEqual([]);
    expect(toolResults(call)).toEqual([['c1_0', 'Not done. Its address cannot be built from these values.']]);
    expect(call.heard.map(({ text }) => text)).toEqual(['I cannot.']);
  });

  it('gets URL, headers and typed parameters from the model and from nested variables', () => {
    const tool = {
      type: 'custom_function' as const,
      name: 'book',
      url: 'https://example.com/{{booking.id}}/tables?q={{booking.items.0}}&n={{missing}}',
      headers: [
        { name: 'X-Caller', value: '{{from_number}}{{booking.note}}' },
        { name: 'Authorization', value: 'secret:1 {{booking.id}}', secret: true },
      ],
      parameters: [
        { name: 'guests', type: 'integer' as const },
        { name: 'sure', type: 'boolean' as const },
        { name: 'day', type: 'date' as const },
        { name: 'extras', type: 'array' as const },
        { name: 'first', value: { source: 'variable' as const, variable: 'booking.items.0' } },
        { name: 'whole', value: { source: 'variable' as const, variable: 'booking' } },
        { name: 'none', value: { source: 'variable' as const, variable: 'booking.nobody' } },
        {
          name: 'renamed',
          value: { source: 'llm_parameter' as const, llm_parameter: { name: 'note', type: 'string' as const } },
        },
      ],
    };
    const booking = { id: 'A/1', items: ['tea & cake'], note: '\r\nX-Evil: A/1' };
    const modelArguments = {
      guests: '4',
      sure: 'yes',
      day: '2026-03-03T12:00:00Z',
      extras: '["x"]',
      note: 7,
      undeclared: 'z',
    };
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [tool] }] },
      parameters: { dynamicVariables: { booking } },
      model: [{ toolCalls: [{ name: 'book', arguments: modelArguments }] }, { text: 'Done.' }],
    })
      .userSpeaks(0.5, 1.5, 'Book it.')
      .runUntil(10);
    expect(call.modelRequests[0]?.functions[0]?.parameters).toMatchObject({
      required: ['guests', 'sure', 'day', 'extras', 'note'],
    });
    expect(call.toolRuns.map(({ url, headers, values }) => ({ url, headers, values }))).toEqual([
      {
        url: 'https://example.com/A%2F1/tables?q=tea%20%26%20cake&n=',
        headers: { 'X-Caller': '+4930123456 X-Evil: A/1', Authorization: 'secret:1 {{booking.id}}' },
        values: {
          guests: 4,
          sure: true,
          day: '2026-03-03',
          extras: ['x'],
          first: 'tea & cake',
          whole: booking,
          renamed: '7',
        },
      },
    ]);
  });

  it('continues when the user speaks, and its mapped values are set', () => {
    const call = new Simulation({
      agent: {
        variables: [{ name: 'price', type: 'number' }],
        states: [{ name: 'start', tools: [{ ...LOOKUP, filler_sentence: 'One moment please, I am looking it up.' }] }],
      },
      model: [{ toolCalls: [{ name: 'lookup', arguments: ARGUMENTS }] }, { text: 'It is ten.' }],
      tools: { lookup: { after: 6, result: { content: 'ten', mapped: [{ variable: 'price', value: '10' }] } } },
    })
      .userSpeaks(0.5, 1.5, 'What does it cost?')
      .userSpeaks(2.3, 3.5, 'Wait, tell me for two people.')
      .runUntil(15);
    expect(call.toolRuns).toHaveLength(1);
    expect(toolResults(call)).toEqual([['c1_0', expect.stringContaining('Still running.')]]);
    expect(call.journalEntries('variable').find(({ name }) => name === 'price')).toMatchObject({
      value: 10,
      atUs: (1_500 + FINAL_MS + MODEL_MS + 6_000) * 1000,
    });
    expect(call.journalEntries('tool_called')).toHaveLength(1);
  });

  it('reports an HTTP failure to the model, and its status in the transcript', () => {
    const call = callWithTools([{ toolCalls: [{ name: 'other' }] }, { text: 'Sorry.' }], {
      tools: { other: { after: 0.1, result: { successful: false, httpStatus: 503, content: 'The server refused.' } } },
    })
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .runUntil(10);
    expect(toolResults(call)).toEqual([['c1_0', 'The server refused.']]);
    expect(call.transcript.find(({ role }) => role === 'tool_response')).toMatchObject({
      successful: false,
      httpStatus: 503,
    });
  });
});
