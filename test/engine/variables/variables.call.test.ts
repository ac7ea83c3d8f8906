import { describe, expect, it } from 'vitest';
import type { VariableType } from '../../../engine/agent/variable-schema.ts';
import { spokenValue } from '../../../engine/variables/spoken-values.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const SIZE = { name: 'size', type: 'integer' as const };
const NAME = { name: 'name' };

function callWithExtractions(extractions: Scenario['extractions'], agentChanges: Scenario['agent'] = {}): Simulation {
  const agent = { variables: [NAME, SIZE], ...agentChanges };
  return new Simulation({ agent, ...(extractions === undefined ? {} : { extractions }) });
}

const changes = (call: Simulation) =>
  call
    .journalEntries('variable')
    .flatMap(({ name, value, atUs, initial }) => (initial ? [] : [[name, value, atUs / 1000]]));
const extractionMessages = (call: Simulation) => call.extractionRequests.map(({ messages }) => messages[1]?.content);

it('a very long value is truncated for the model, and kept whole', () => {
  const list = '😀'.repeat(10_000);
  const call = new Simulation({ agent: {}, parameters: { dynamicVariables: { list, short: 'x' } } })
    .userSpeaks(0.5, 1.5, 'Hello.')
    .runUntil(10);
  const systemMessage = String(call.modelRequests[0]?.messages[0]?.content);
  expect(systemMessage).toContain(`- list: ${list.slice(0, 16_384)} [the rest was left out]\n- short: x\n`);
  expect(call.handle.view().variables.find(({ name }) => name === 'list')?.value).toBe(list);
});

describe('an extraction', () => {
  it('is requested with each user turn, and marks the new words', () => {
    const call = callWithExtractions([{ name: 'Ada', size: null }, { size: '4' }])
      .userSpeaks(0.5, 1.5, 'My name is Ada.')
      .userSpeaks(4, 5, 'We are four.')
      .runUntil(10);
    expect(extractionMessages(call)).toEqual([
      'New:\nCaller: My name is Ada.',
      'What is known:\n- name: Ada\n\nSaid before:\nCaller: My name is Ada.\n\nNew:\nAgent: Yes.\nCaller: We are four.',
    ]);
    expect(changes(call)).toEqual([
      ['call_start_time', '2026-03-01T10:00:00.000Z', 0],
      ['name', 'Ada', 2_000],
      ['size', 4, 5_500],
    ]);
  });

  it('keeps known values if its answer is null or of the wrong type', () => {
    const call = callWithExtractions([
      { name: 'Ada', size: 4 },
      { name: null, size: null },
      { name: '', size: 'many' },
      {},
    ])
      .userSpeaks(0.5, 1.5, 'Ada, for four.')
      .userSpeaks(4, 5, 'Yes.')
      .userSpeaks(7, 8, 'Yes.')
      .userSpeaks(10, 11, 'Yes.')
      .runUntil(14);
    expect(call.extractionRequests).toHaveLength(4);
    expect(changes(call).slice(1)).toEqual([
      ['name', 'Ada', 2_000],
      ['size', 4, 2_000],
    ]);
  });

  it('updates a value that the user changes, with the time of each change', () => {
    const call = callWithExtractions([{ size: 4 }, { size: 5 }, { size: 5 }, { size: 4 }])
      .userSpeaks(0.5, 1.5, 'We are four.')
      .userSpeaks(4, 5, 'No, five.')
      .userSpeaks(7, 8, 'Five, yes.')
      .userSpeaks(10, 11, 'Well, four after all.')
      .runUntil(14);
    expect(changes(call).slice(1)).toEqual([
      ['size', 4, 2_000],
      ['size', 5, 5_500],
      ['size', 4, 11_500],
    ]);
  });

  it('runs alone; turns that arrive during its run are combined into the next request', () => {
    const call = callWithExtractions([{ name: 'Ada' }, { size: 4 }])
      .userSpeaks(0.5, 1, 'Ada.')
      // The first extraction is requested at 1.2 s and takes 0.3 s.
      .at(1.3, (call) => call.media.emit({ type: 'dtmf', digit: '4', durationMs: 100 }))
      .at(1.31, (call) => call.media.emit({ type: 'dtmf', digit: '#', durationMs: 100 }))
      .at(1.4, (call) => call.media.emit({ type: 'dtmf', digit: '5', durationMs: 100 }))
      .at(1.41, (call) => call.media.emit({ type: 'dtmf', digit: '#', durationMs: 100 }))
      .runUntil(10);
    const requests = call.tape.filter(({ commands }) => commands.some(({ type }) => type === 'extraction.request'));
    expect(requests.map(({ atUs }) => atUs / 1000)).toEqual([1_200, 1_500]);
    expect(extractionMessages(call)[1]).toContain('New:\nCaller: Ada. [pressed the keys 4] [pressed the keys 5]');
  });

  it('is repeated with the next user turn after a failure, not before', () => {
    const call = callWithExtractions([{ size: 4 }]);
    call.userSpeaks(0.5, 1.5, 'We are four.').userSpeaks(60, 61, 'Hello?');
    call.at(1.75, (call) =>
      call.handle.post({
        type: 'extraction.failed',
        extraction: 1,
        error: { provider: 'test', code: 'timeout', message: 'no', retryable: true },
      }),
    );
    call.runUntil(65);
    expect(call.extractionRequests).toHaveLength(2);
    expect(extractionMessages(call)[1]).toContain('Caller: We are four.');
    expect(call.noticesOf('extraction_failed')).toEqual([{ type: 'extraction_failed', error: 'test timeout: no' }]);
  });

  it('does not overwrite a value that was set after its request', () => {
    const lookup = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
    const call = new Simulation({
      agent: { variables: [SIZE], states: [{ name: 'start', tools: [lookup] }] },
      model: [{ after: 0.05, toolCalls: [{ name: 'lookup' }] }],
      tools: { lookup: { after: 0.1, result: { mapped: [{ variable: 'size', value: 6 }] } } },
      extractions: [{ size: 4 }],
    })
      .userSpeaks(0.5, 1.5, 'We are four.')
      .runUntil(10);
    // The extraction is requested at 1.7 s and answered at 2.0 s. The tool sets the value at 1.85 s.
    expect(changes(call).slice(1)).toEqual([['size', 6, 1_850]]);
  });

  it('reads the whole conversation once for the variables of a new state', () => {
    const call = new Simulation({
      agent: {
        variables: [NAME],
        states: [
          { name: 'start', transitions: [{ condition: 'c', destination_state_name: 'next' }] },
          { name: 'next', variables: [SIZE] },
        ],
      },
      model: [
        { text: 'Go on.' },
        { text: 'Go on.' },
        { text: 'Go on.' },
        { text: 'Go on.' },
        { toolCalls: [{ name: 'go_to_next' }] },
      ],
    });
    for (let turn = 0; turn < 8; turn++) call.userSpeaks(turn * 3 + 0.5, turn * 3 + 1, `Turn ${turn}.`);
    call.runUntil(30);
    const firstNewTurns = extractionMessages(call).map((text) => /Caller: Turn (\d)/.exec(text ?? '')?.[1]);
    expect(firstNewTurns).toEqual(['0', '0', '0', '0', '1', '0', '3', '4']);
    expect(
      call.extractionRequests.map(({ answerSchema }) => Object.keys(Object(answerSchema?.schema.properties))),
    ).toEqual([...Array.from({ length: 5 }, () => ['name']), ...Array.from({ length: 3 }, () => ['name', 'size'])]);
  });

  it('is not requested without declared variables, and runs once more if the user hangs up in a turn', () => {
    expect(new Simulation({ agent: {} }).userSpeaks(0.5, 1, 'Hello.').runUntil(3).extractionRequests).toEqual([]);
    const call = callWithExtractions([{ name: 'Ada' }])
      .at(0.5, (call) => call.emitFinal(0.2, 0.5, 'My name is Ada'))
      .hangUpAt(0.6)
      .runUntil(8);
    expect(changes(call).slice(1)).toEqual([['name', 'Ada', 900]]);
    expect(call.journalEntries('ended')).toHaveLength(1);
  });

  it('replays exactly', () => {
    const call = callWithExtractions([{ name: 'Ada' }, { size: 4 }])
      .userSpeaks(0.5, 1.5, 'Ada.')
      .userSpeaks(4, 5, 'Four.')
      .runUntil(9);
    expectReplay(call);
  });
});

describe('all variables', () => {
  it('are reported as resolved once, when the last declared one of any state has a value', () => {
    const states = [{ name: 'start' }, { name: 'next', variables: [{ name: 'later' }] }];
    const call = new Simulation({
      agent: { variables: [NAME], states },
      parameters: { dynamicVariables: { later: 'x', undeclared: 'y' } },
      extractions: [{ name: 'Ada' }, { name: 'Eve' }],
    })
      .userSpeaks(0.5, 1.5, 'Ada.')
      .userSpeaks(4, 5, 'No, Eve.')
      .runUntil(10);
    expect(call.journalEntries('variables_resolved').map(({ atUs }) => atUs / 1000)).toEqual([2_000]);
  });

  it('are reported as resolved at the answer if all were given; never if none is declared', () => {
    const given = new Simulation({
      agent: { variables: [NAME] },
      parameters: { dynamicVariables: { name: 'Ada' } },
    }).runUntil(2);
    expect(given.journalEntries('variables_resolved')).toHaveLength(1);
    expect(new Simulation({ agent: {} }).runUntil(2).journalEntries('variables_resolved')).toEqual([]);
  });
});

describe('a value given at the start', () => {
  it('has its declared type, enters the journal and is no change', () => {
    const call = new Simulation({
      agent: { variables: [SIZE, { name: 'day', type: 'date' }, { name: 'free', type: 'boolean' }] },
      parameters: { dynamicVariables: { size: '4', day: '2026-03-03T09:00:00Z', free: 'maybe', booking: { id: 1 } } },
    }).runUntil(2);
    const given = call.journalEntries('variable').filter(({ initial }) => initial);
    expect(given.map(({ name, variableType, value, atUs }) => [name, variableType, value, atUs])).toEqual([
      ['size', 'integer', 4, 0],
      ['day', 'date', '2026-03-03', 0],
      ['free', 'boolean', 'maybe', 0],
      ['booking', 'object', { id: 1 }, 0],
      ['from_number', 'string', '+4930123456', 0],
      ['to_number', 'string', '+4930654321', 0],
      ['call_id', 'string', call.parameters.callId, 0],
    ]);
    expect(changes(call)).toEqual([['call_start_time', '2026-03-01T10:00:00.000Z', 0]]);
  });
});

describe('a spoken value', () => {
  const spoken = (value: string, type: VariableType, language: string) =>
    spokenValue(value, type, language).replace(/[\u00a0\u202f]/g, ' ');

  it.each([
    ['en-GB', '3 March 2026'],
    ['en', 'March 3, 2026'],
    ['de', '3. März 2026'],
    ['fr', '3 mars 2026'],
    ['es-MX', '3 de marzo de 2026'],
    ['it', '3 marzo 2026'],
    ['nl', '3 maart 2026'],
    ['ja', '2026年3月3日'],
    ['pt', '3 de março de 2026'],
    ['xx-nonsense-12345678', 'March 3, 2026'],
    ['de-xx-yy', '3. März 2026'],
  ])('formats a date for %s', (language, expected) => {
    expect(spoken('2026-03-03', 'date', language)).toBe(expected);
    expect(spoken('2026-03-03T23:30:00-08:00', 'date', language)).toBe(expected);
  });

  it.each([
    ['2026-03-03T19:30:00+01:00', 'en-GB', '3 March 2026 at 19:30'],
    ['2026-03-03T19:30:00Z', 'en-US', 'March 3, 2026 at 7:30 PM'],
    ['2026-03-03T19:30', 'de', '3. März 2026 um 19:30'],
    ['2026-03-03', 'fr', '3 mars 2026'],
  ])('formats a time in its own time zone: %s', (value, language, expected) => {
    expect(spoken(value, 'datetime', language)).toBe(expected);
  });

  it.each([
    ['2026-99-99', 'date'],
    ['Tue, 3 Mar 2026 10:00:00 GMT', 'datetime'],
    ['2026-03-03', 'string'],
  ] as const)('stays unchanged if it is no date: %s', (value, type) => expect(spoken(value, type, 'de')).toBe(value));

  it('has dates in words for the user, and as stored for the model', () => {
    const call = new Simulation({
      agent: {
        language: 'de',
        variables: [{ name: 'day', type: 'date' }],
        initial_message: 'Ihr Termin ist am {{day}}, {{booking.items.1.name}} für {{booking.count}}.',
        base_prompt: 'The day is {{day}}.',
      },
      parameters: {
        dynamicVariables: { day: '2026-03-03', booking: { count: 2, items: [{}, { name: 'Tee {{day}}' }] } },
      },
    })
      .userSpeaks(6, 7, 'Ja bitte.')
      .runUntil(10);
    expect(call.heard[0]?.text).toBe('Ihr Termin ist am 3. März 2026, Tee {{day}} für 2.');
    expect(call.modelRequests[0]?.messages[0]?.content).toContain('The day is 2026-03-03.');
  });
});

describe('a value mapped from a tool response', () => {
  const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };

  it.each([
    ['a list', 'array', ['19:30', '21:00'], ['19:30', '21:00']],
    ['the only entry of a list', 'array', '19:30', ['19:30']],
    ['no entry', 'array', [], []],
    ['null', 'array', null, ['before']],
    ['no entry', 'string', [], 'before'],
    ['an entry', 'string', '19:30', '19:30'],
    ['no entry', null, [], 'before'],
  ] as const)('is stored: %s in a variable of type %s', (_mapped, type, value, expected) => {
    const call = new Simulation({
      agent: {
        variables: type === null ? [] : [{ name: 'slots', type }],
        states: [{ name: 'start', tools: [LOOKUP] }],
      },
      parameters: { dynamicVariables: { slots: type === 'array' ? ['before'] : 'before' } },
      model: [{ toolCalls: [{ name: 'lookup' }] }],
      tools: { lookup: { after: 0.1, result: { mapped: [{ variable: 'slots', value }] } } },
    })
      .userSpeaks(0.5, 1.5, 'What is free?')
      .runUntil(10);
    expect(call.handle.view().variables.find(({ name }) => name === 'slots')?.value).toEqual(expected);
  });
});

it('a variable without a value is logged once per call, even if several prompts contain it', () => {
  const call = new Simulation({ agent: { variables: [NAME], states: [{ name: 'start', prompt: 'Greet {{name}}.' }] } })
    .userSpeaks(0.5, 1.5, 'Hello.')
    .userSpeaks(4, 5, 'Hello?')
    .runUntil(10);
  expect(call.modelRequests).toHaveLength(2);
  expect(call.notices).toEqual([{ type: 'variable_missing', variable: 'name', usedIn: 'text', tool: null }]);
});
