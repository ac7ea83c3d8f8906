import { describe, expect, it } from 'vitest';
import { refusals } from '../properties/strict-provider.ts';
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

function calling(model: readonly ModelResponse[], given: Partial<Scenario> = {}): Simulation {
  return new Simulation({ agent: { states: [{ name: 'start', tools: [LOOKUP, OTHER] }] }, model, ...given });
}

const results = (call: Simulation, nth = 1) =>
  call.modelRequests[nth]?.messages.flatMap((one) => (one.role === 'tool' ? [[one.toolCallId, one.content]] : []));

describe('calls of one answer', () => {
  it('run at once, and the model goes on when the last of them has answered', () => {
    const call = calling(
      [{ toolCalls: [{ name: 'lookup', arguments: ARGUMENTS }, { name: 'other' }] }, { text: 'Done.' }],
      {
        tools: {
          lookup: { after: 3, result: { content: 'slow' } },
          other: { after: 1, result: { content: 'fast' } },
        },
      },
    )
      .userSpeaks(0.5, 1.5, 'Both please.')
      .runUntil(10);
    const runs = call.tape.filter(({ commands }) => commands.some(({ type }) => type === 'tool.run'));
    expect(runs).toHaveLength(1);
    expect(results(call)).toEqual([
      ['c1_0', 'slow'],
      ['c1_1', 'fast'],
    ]);
    expect(call.heard.map(({ fromMs }) => fromMs)).toEqual([5_100]);
  });

  it.each([
    ['one id twice', ['x', 'x'], ['x', 'call_1_1']],
    ['no id', ['', ''], ['call_1_0', 'call_1_1']],
    ['ids that no provider takes back', ['a b', 'y'.repeat(65)], ['call_1_0', 'call_1_1']],
    ['an id that ours would be', ['call_1_1', ''], ['call_1_1', 'call_1_1_1']],
  ])('with %s have one result each', (_what, given, ids) => {
    const [first = '', second = ''] = given;
    const call = calling([
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
    expect(results(call)?.map(([id]) => id)).toEqual(ids);
    expect(call.journalEntries('tool_called').map(({ toolCallId }) => toolCallId)).toEqual(ids);
    for (const request of call.modelRequests) expect(refusals(request)).toEqual([]);
  });

  it('whose ids come again in later answers are told apart, also after the history was cut', () => {
    const turns = 30;
    const call = calling(
      Array.from({ length: turns }, () => [{ toolCalls: [{ name: 'other', id: 'same' }] }, { text: 'Well.' }]).flat(),
      { tools: { other: { after: 0.1, result: { content: 'x'.repeat(8_000) } } } },
    );
    for (let turn = 0; turn < turns; turn++) call.userSpeaks(turn * 8 + 1, turn * 8 + 2, 'Again please.');
    call.runUntil(turns * 8 + 10);
    expect(call.summaryRequests.length).toBeGreaterThan(0);
    const ids = call.journalEntries('tool_called').map(({ toolCallId }) => toolCallId);
    expect(ids).toHaveLength(turns);
    expect(new Set(ids).size).toBe(turns);
    for (const request of call.modelRequests) expect(refusals(request)).toEqual([]);
  });

  it('beside a mistake still run, and both are told', () => {
    const call = calling([{ toolCalls: [{ name: 'nope' }, { name: 'other' }] }, { text: 'Done.' }])
      .userSpeaks(0.5, 1.5, 'Both please.')
      .runUntil(10);
    expect(call.toolRuns.map(({ tool }) => tool.name)).toEqual(['other']);
    expect(results(call)).toEqual([
      ['c1_0', 'Not done. There is no function «nope» here.'],
      ['c1_1', '{}'],
    ]);
  });

  it('beyond sixteen are left out', () => {
    const toolCalls = Array.from({ length: 40 }, () => ({ name: 'other' }));
    const call = calling([{ toolCalls }, { text: 'Done.' }])
      .userSpeaks(0.5, 1.5, 'All of it.')
      .runUntil(10);
    expect(call.toolRuns).toHaveLength(16);
    expect(results(call)).toHaveLength(16);
  });
});

describe('two things at once that cannot both be done', () => {
  const DESK = { type: 'transfer_call' as const, name: 'desk', destination: '+4930111111' };
  const BYE = { type: 'hang_up' as const, name: 'bye', filler_sentence: 'Goodbye then.' };

  it('are two transitions: the first is taken, written down, and the model told so of both', () => {
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
    expect(results(call)).toEqual([
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
  ])('are two endings: after %s there is no %s', (first, second, told) => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [DESK, BYE] }] },
      model: [{ toolCalls: [{ name: first }, { name: second }] }],
      transfer: { after: 2, succeeds: true },
    })
      .userSpeaks(0.5, 1.5, 'That is all.')
      .runUntil(10);
    const answers = call.transcript.flatMap((one) =>
      one.role === 'tool_response' ? [[one.name, one.successful, one.content]] : [],
    );
    expect(answers).toContainEqual([second, false, told]);
    expect(call.endReason).toBe(first === 'bye' ? 'agent_hangup' : 'transferred');
    expect(call.heard.map(({ text }) => text)).toEqual(first === 'bye' ? ['Goodbye then.'] : []);
  });
});

describe('a mistake of the model', () => {
  it.each(['', 'look it up!', 'nachschlagen_für_den_Anrufer', 'x'.repeat(80)])(
    'in the name of a function stands in the history as providers take it back: «%s»',
    (name) => {
      const call = calling([{ toolCalls: [{ name, arguments: 'null' }] }, { text: 'Done.' }])
        .userSpeaks(0.5, 1.5, 'Look it up.')
        .runUntil(10);
      expect(call.modelRequests).toHaveLength(2);
      for (const request of call.modelRequests) expect(refusals(request)).toEqual([]);
      expect(call.transcript.filter(({ role }) => role === 'tool_call')).toMatchObject([
        { toolType: 'unknown', arguments: {} },
      ]);
    },
  );

  it.each([
    ['{"day":', 'Not done. The arguments were not a JSON object.'],
    ['[1]', 'Not done. The arguments were not a JSON object.'],
    ['"day"', 'Not done. The arguments were not a JSON object.'],
    ['{}', 'Not done. «day» must be given, as string.'],
    ['{"day":null}', 'Not done. «day» must be given, as string.'],
    ['{"day":""}', 'Not done. «day» must be given, as string.'],
  ])('in its arguments is handed back, and it may try again: %s', (text, told) => {
    const call = calling([
      { toolCalls: [{ name: 'lookup', arguments: text }] },
      { toolCalls: [{ name: 'lookup', arguments: ARGUMENTS }] },
      { text: 'Done.' },
    ])
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .runUntil(10);
    expect(results(call)).toEqual([['c1_0', told]]);
    expect(call.toolRuns.map(({ values }) => values)).toEqual([ARGUMENTS]);
    expect(call.heard.map(({ text: said }) => said)).toEqual(['Done.']);
    for (const request of call.modelRequests) expect(refusals(request)).toEqual([]);
  });

  it('in arguments that are nested without measure costs nothing but the answer', () => {
    const nested = `{"day":${'['.repeat(9_000)}${']'.repeat(9_000)}}`;
    const call = calling([{ toolCalls: [{ name: 'lookup', arguments: nested }] }, { text: 'Done.' }])
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .runUntil(10);
    expect(results(call)).toEqual([['c1_0', 'Not done. The arguments were not a JSON object.']]);
    expect(call.endReason).toBeNull();
    for (const request of call.modelRequests) expect(refusals(request)).toEqual([]);
  });

  it('in the type of a value is told with the value', () => {
    const sized = { ...LOOKUP, parameters: [{ name: 'size', type: 'integer' as const }] };
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [sized] }] },
      model: [{ toolCalls: [{ name: 'lookup', arguments: { size: 3.5 } }] }, { text: 'Done.' }],
    })
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .runUntil(10);
    expect(results(call)).toEqual([['c1_0', 'Not done. «size» must be of type integer, and is 3.5.']]);
  });

  it('a third time in one turn ends that turn', () => {
    const again = { toolCalls: [{ name: 'nope' }] };
    const call = calling([again, again, again, again]).userSpeaks(0.5, 1.5, 'Look it up.').runUntil(20);
    expect(call.modelRequests).toHaveLength(3);
    expect(call.modelRequests[2]?.functions).toEqual([]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('a third time is apologised for, unless the answer holds words or a function still runs', () => {
    const again = { toolCalls: [{ name: 'nope' }] };
    const tools = { other: { after: 1, result: { content: 'ten' } } };
    const third = (says: ModelResponse) =>
      calling([again, again, says, { text: 'It is ten.' }], { tools })
        .userSpeaks(0.5, 1.5, 'Look it up.')
        .runUntil(8);
    expect(third(again).heard.map(({ text }) => text)).toEqual([
      'I am sorry, I have lost the thread.',
      'Could you say that again, please?',
    ]);
    expect(third({ ...again, text: 'I cannot.' }).heard.map(({ text }) => text)).toEqual(['I cannot.']);
    const running = third({ toolCalls: [{ name: 'nope' }, { name: 'other' }] });
    expect(running.heard.map(({ text }) => text)).toEqual(['It is ten.']);
  });

  it('of one turn is not counted in the next', () => {
    const again = { toolCalls: [{ name: 'nope' }] };
    const call = calling([again, again, { text: 'Sorry.' }, again, { text: 'Well.' }])
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .userSpeaks(5, 6, 'And now?')
      .runUntil(20);
    expect(call.modelRequests.map(({ functions }) => functions.length)).toEqual([2, 2, 0, 2, 2]);
  });
});

describe('waiting', () => {
  const WAIT = { type: 'wait' as const, name: 'give_time', duration: 90 };
  const agent = {
    presence_check_phrases: ['Are you there?'],
    presence_check_idle_threshold: 5,
    presence_check_max_times: 3,
    states: [{ name: 'start', tools: [WAIT] }],
  };

  it('says nothing, goes on listening, and asks for nobody before its time is over', () => {
    const call = new Simulation({ agent, model: [{ toolCalls: [{ name: 'give_time' }] }] })
      .userSpeaks(0.5, 1.5, 'One moment, I am looking for my card.')
      .runUntil(95);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.handle.view().agentState).toBe('listening');
    // Asked 90 s after the call of the tool at 1.8 s, and 0.2 s of voice.
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([['Are you there?', 92_000]]);
    expect(call.journalEntries('tool_called').map(({ successful }) => successful)).toEqual([true]);
  });

  it('ends when the user speaks: they are answered at once', () => {
    const call = new Simulation({ agent, model: [{ toolCalls: [{ name: 'give_time' }] }, { text: 'Thank you.' }] })
      .userSpeaks(0.5, 1.5, 'One moment please.')
      .userSpeaks(30, 31, 'I have it here.')
      .runUntil(32.5);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([['Thank you.', 31_500]]);
    expect(results(call)).toEqual([['c1_0', 'The caller is given the time.']]);
  });
});

describe('what a function is run with', () => {
  it('is an address, or the model is told that there is none', () => {
    const tool = { ...LOOKUP, url: 'https://{{host}}/look', parameters: [] };
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [tool] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'I cannot.' }],
    })
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .runUntil(10);
    expect(call.toolRuns).toEqual([]);
    expect(results(call)).toEqual([['c1_0', 'Not done. Its address cannot be built from these values.']]);
    expect(call.heard.map(({ text }) => text)).toEqual(['I cannot.']);
  });

  it('are parameters of both kinds, in their types, from nested variables too', () => {
    const tool = {
      type: 'custom_function' as const,
      name: 'book',
      url: 'https://example.com/{{order.id}}/{{missing}}?q={{order.items.0}}',
      headers: [
        { name: 'X-Caller', value: '{{from_number}}\r\nX-Evil: {{order.id}}' },
        { name: 'Authorization', value: 'secret:1 {{order.id}}', secret: true },
      ],
      parameters: [
        { name: 'guests', type: 'integer' as const },
        { name: 'sure', type: 'boolean' as const },
        { name: 'day', type: 'date' as const },
        { name: 'extras', type: 'array' as const },
        { name: 'first', value: { source: 'variable' as const, variable: 'order.items.0' } },
        { name: 'whole', value: { source: 'variable' as const, variable: 'order' } },
        { name: 'none', value: { source: 'variable' as const, variable: 'order.nobody' } },
        {
          name: 'renamed',
          value: { source: 'llm_parameter' as const, llm_parameter: { name: 'note', type: 'string' as const } },
        },
      ],
    };
    const order = { id: 'A/1', items: ['tea & cake'] };
    const given = { guests: '4', sure: 'yes', day: '2026-03-03T12:00:00Z', extras: '["x"]', note: 7, stranger: 'z' };
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [tool] }] },
      parameters: { dynamicVariables: { order } },
      model: [{ toolCalls: [{ name: 'book', arguments: given }] }, { text: 'Done.' }],
    })
      .userSpeaks(0.5, 1.5, 'Book it.')
      .runUntil(10);
    expect(call.modelRequests[0]?.functions[0]?.parameters).toMatchObject({
      required: ['guests', 'sure', 'day', 'extras', 'note'],
    });
    expect(call.toolRuns.map(({ url, headers, values }) => ({ url, headers, values }))).toEqual([
      {
        url: 'https://example.com/A%2F1/?q=tea%20%26%20cake',
        headers: { 'X-Caller': '+4930123456 X-Evil: A/1', Authorization: 'secret:1 {{order.id}}' },
        values: {
          guests: 4,
          sure: true,
          day: '2026-03-03',
          extras: ['x'],
          first: 'tea & cake',
          whole: order,
          renamed: '7',
        },
      },
    ]);
  });

  it('is not cancelled by a user who speaks, and what it maps counts', () => {
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
    expect(results(call)).toEqual([['c1_0', 'ten']]);
    expect(call.journalEntries('variable').find(({ name }) => name === 'price')).toMatchObject({
      value: 10,
      atUs: 7_800_000,
    });
    expect(call.journalEntries('tool_called')).toHaveLength(1);
  });

  it('whose HTTP failed is told in the runner’s words, and the status stands in the transcript', () => {
    const call = calling([{ toolCalls: [{ name: 'other' }] }, { text: 'Sorry.' }], {
      tools: { other: { after: 0.1, result: { successful: false, httpStatus: 503, content: 'The server refused.' } } },
    })
      .userSpeaks(0.5, 1.5, 'Look it up.')
      .runUntil(10);
    expect(results(call)).toEqual([['c1_0', 'The server refused.']]);
    expect(call.transcript.find(({ role }) => role === 'tool_response')).toMatchObject({
      successful: false,
      httpStatus: 503,
    });
  });
});
