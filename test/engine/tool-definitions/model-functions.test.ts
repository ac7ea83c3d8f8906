import { describe, expect, it } from 'vitest';
import type { AgentState } from '../../../engine/agent/state-schema.ts';
import { toolSchema } from '../../../engine/agent/tool-schema.ts';
import {
  extractionSchema,
  firstTransitionOrdinal,
  modelFunctions,
  transitionFunctions,
  typeSchema,
} from '../../../engine/tool-definitions/model-functions.ts';
import { agentWith } from '../simulation/agent-with.ts';
import type { Scenario } from '../simulation/scenario.ts';

const transitionTo = (name: string, condition = 'go') => ({ condition, destination_state_name: name });
const statesOf = (states: NonNullable<Scenario['agent']['states']>): readonly AgentState[] =>
  agentWith({ states, initial_state_name: 'a' }).states;

describe('the transition functions of a state', () => {
  it('have unique names after their destination, and ordinals across the whole agent', () => {
    const states = statesOf([
      { name: 'a', transitions: [transitionTo('Book a Table!'), transitionTo('b'), transitionTo('b', 'again')] },
      { name: 'b', transitions: [transitionTo('a')] },
      { name: 'Book a Table!', transitions: [transitionTo('予約'), transitionTo('b')] },
      { name: '予約' },
    ]);
    expect(
      transitionFunctions(states, 0).map(({ functionName, ordinal, destination }) => [
        functionName,
        ordinal,
        destination,
      ]),
    ).toEqual([
      ['go_to_book_a_table', 0, 2],
      ['go_to_b', 1, 1],
      ['go_to_b_3', 2, 1],
    ]);
    expect(transitionFunctions(states, 2).map(({ functionName, ordinal }) => [functionName, ordinal])).toEqual([
      ['go_to_1', 4],
      ['go_to_b', 5],
    ]);
    expect(transitionFunctions(states, 1).map(({ destination }) => destination)).toEqual([0]);
    expect([0, 1, 2, 3].map((index) => firstTransitionOrdinal(states, index))).toEqual([0, 3, 4, 6]);
  });

  it('have one underscore for any other characters in a row', () => {
    const states = statesOf([
      { name: 'a', transitions: [transitionTo('Book — a «Table»')] },
      { name: 'Book — a «Table»' },
    ]);
    expect(transitionFunctions(states, 0).map(({ functionName }) => functionName)).toEqual(['go_to_book_a_table']);
  });

  it('avoid the names of tools and names that providers reject', () => {
    const long = 'x'.repeat(100);
    const states = statesOf([
      {
        name: 'a',
        tools: [
          { type: 'hang_up', name: 'go_to_b' },
          { type: 'wait', name: 'go_to_b_2' },
        ],
        transitions: [transitionTo(long), transitionTo('b'), transitionTo('b')],
      },
      { name: 'b' },
      { name: long },
    ]);
    const names = transitionFunctions(states, 0).map(({ functionName }) => functionName);
    expect(names).toEqual([`go_to_${'x'.repeat(50)}`, 'go_to_b_3', 'go_to_b_4']);
    expect(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
  });

  it('omit transitions to unknown states without changing ordinals; an unknown state has none', () => {
    const states = statesOf([{ name: 'a', transitions: [transitionTo('nowhere'), transitionTo('b')] }, { name: 'b' }]);
    expect(transitionFunctions(states, 0).map(({ functionName, ordinal }) => [functionName, ordinal])).toEqual([
      ['go_to_b', 1],
    ]);
    expect(transitionFunctions(states, 7)).toEqual([]);
    expect(modelFunctions(states, 7)).toEqual([]);
  });
});

describe('the function schemas', () => {
  it.each([
    ['string', { type: 'string', description: 'd' }],
    ['number', { type: 'number', description: 'd' }],
    ['integer', { type: 'integer', description: 'd' }],
    ['boolean', { type: 'boolean', description: 'd' }],
    ['object', { type: 'object', description: 'd' }],
    ['array', { type: 'array', items: {}, description: 'd' }],
    ['date', { type: 'string', format: 'date', description: 'd' }],
    ['datetime', { type: 'string', format: 'date-time', description: 'd' }],
  ] as const)('describe a %s as %j', (type, schema) => {
    expect(typeSchema(type, 'd')).toEqual(schema);
    const { description: _, ...plain } = schema;
    expect(typeSchema(type, '')).toEqual(plain);
  });

  it('list the tools with the model’s parameters, then the transitions', () => {
    const states = statesOf([
      {
        name: 'a',
        tools: [
          {
            type: 'custom_function',
            name: 'lookup',
            description: 'Looks it up.',
            url: 'https://example.com',
            parameters: [
              { name: 'day', type: 'date', description: 'Which day.' },
              { name: 'caller', value: { source: 'variable', variable: 'from_number' } },
            ],
          },
          { type: 'send_dtmf', name: 'keys' },
          { type: 'hang_up', name: 'bye' },
        ],
        transitions: [transitionTo('b', 'They agree.')],
      },
      { name: 'b' },
    ]);
    const noParameters = { type: 'object', properties: {}, required: [], additionalProperties: false };
    expect(modelFunctions(states, 0)).toEqual([
      {
        name: 'lookup',
        description: 'Looks it up.',
        parameters: {
          type: 'object',
          properties: { day: { type: 'string', format: 'date', description: 'Which day.' } },
          required: ['day'],
          additionalProperties: false,
        },
      },
      {
        name: 'keys',
        description: 'Presses keys, for the menu of another machine.',
        parameters: {
          type: 'object',
          properties: {
            digits: {
              type: 'string',
              description: 'The keys, in order: 0-9, * and #; w waits half a second, a comma two seconds.',
            },
          },
          required: ['digits'],
          additionalProperties: false,
        },
      },
      {
        name: 'bye',
        description: 'Ends the call. Say goodbye before, or in the same answer.',
        parameters: noParameters,
      },
      { name: 'go_to_b', description: 'Go on to «b». Use it when: They agree.', parameters: noParameters },
    ]);
  });

  it.each([
    ['custom_function', { url: 'https://example.com' }, ''],
    ['hang_up', {}, 'Ends the call.'],
    ['wait', {}, 'goes on listening'],
    ['transfer_call', { destination: '+4930111111' }, 'Connects the caller'],
    ['leave_voicemail_message', {}, 'leaves the message after its beep'],
    ['send_dtmf', {}, 'Presses keys'],
    ['pause_recording', {}, 'Stops the recording'],
    ['resume_recording', {}, 'Goes on with the recording'],
  ] as const)('describe %s in our words, unless the agent has its own', (type, fields, description) => {
    const descriptionOf = (own: object) => {
      const tool = toolSchema.parse({ type, name: 'tool', ...fields, ...own });
      return modelFunctions(statesOf([{ name: 'a', tools: [tool] }]), 0)[0]?.description;
    };
    if (description === '') expect(descriptionOf({})).toBe('');
    else expect(descriptionOf({})).toContain(description);
    expect(descriptionOf({ description: 'Ours.' })).toBe('Ours.');
  });

  it('have the parameter of the model in place of a parameter that it fills', () => {
    const llm_parameter = { name: 'party_size', type: 'integer' as const, description: 'How many.' };
    const parameters = [{ name: 'size', value: { source: 'llm_parameter' as const, llm_parameter } }];
    const states = statesOf([
      { name: 'a', tools: [{ type: 'custom_function', name: 'book', url: 'https://example.com', parameters }] },
    ]);
    expect(modelFunctions(states, 0)[0]?.parameters).toMatchObject({
      properties: { party_size: { type: 'integer', description: 'How many.' } },
      required: ['party_size'],
    });
  });

  it('have each variable once, although a parameter has its name', () => {
    const { variables } = agentWith({ variables: [{ name: 'day', type: 'date' }, { name: 'size' }] });
    const states = statesOf([
      {
        name: 'a',
        tools: [
          {
            type: 'custom_function',
            name: 'book',
            url: 'https://example.com',
            parameters: [
              { name: 'day', type: 'string', description: 'Which day.' },
              { name: 'hour', type: 'integer', description: '' },
            ],
          },
        ],
        transitions: [transitionTo('b')],
      },
      { name: 'b' },
    ]);
    const [book, next] = modelFunctions(states, 0, { ofTool: () => variables, ofTransition: () => variables });
    expect(book?.parameters).toMatchObject({
      properties: { day: { type: 'string', description: 'Which day.' }, size: { anyOf: [{ type: 'string' }, {}] } },
      required: ['day', 'hour', 'size'],
    });
    expect(next?.parameters).toMatchObject({ required: ['day', 'size'] });
  });

  it('of an extraction allow null, and contain description and extraction instructions', () => {
    const { variables } = agentWith({
      variables: [{ name: 'day', type: 'date', description: 'The day.', extraction_instructions: 'The later one.' }],
    });
    expect(extractionSchema(variables)).toEqual({
      type: 'object',
      properties: {
        day: {
          anyOf: [{ type: 'string', format: 'date', description: 'The day.\nThe later one.' }, { type: 'null' }],
        },
      },
      required: ['day'],
      additionalProperties: false,
    });
  });
});
