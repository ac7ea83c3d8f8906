import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../engine/agent/json-value.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { transitionFunctions } from '../../../engine/tool-definitions/model-functions.ts';
import { namesWithoutValue, variableParameters } from '../../../engine/tool-definitions/variable-parameters.ts';
import { type AgentOverrides, agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
const TO_NEXT = { condition: 'go', destination_state_name: 'next' };

function parametersOf(overrides: AgentOverrides, dynamicVariables: Readonly<Record<string, JsonValue>> = {}) {
  const agent = agentWith({ initial_state_name: 'start', ...overrides });
  const context = initialContext(agent, { ...CALL_PARAMETERS, dynamicVariables });
  const parameters = variableParameters(context, 0);
  const described = (variables: ReturnType<typeof parameters.ofTool>) =>
    variables.map(({ name, type }) => `${name}: ${type}`);
  return {
    context,
    ofTools: (agent.states[0]?.tools ?? []).map((tool) => described(parameters.ofTool(tool))),
    ofTransitions: transitionFunctions(agent.states, 0).map((transition) =>
      described(parameters.ofTransition(transition)),
    ),
  };
}

describe('the parameters of a tool for variables', () => {
  const withFiller = (filler_sentence: string, overrides: AgentOverrides = {}, values = {}, tool = {}) =>
    parametersOf(
      {
        variables: [{ name: 'name' }, { name: 'size', type: 'integer' }],
        states: [{ name: 'start', tools: [{ ...LOOKUP, ...tool, filler_sentence }] }],
        ...overrides,
      },
      values,
    ).ofTools[0];

  it('are the declared variables without a value that its filler names, once each', () => {
    expect(withFiller('A table for {{ size }}, {{name}}? For {{size}}.')).toEqual(['size: integer', 'name: string']);
    expect(withFiller('One moment.')).toEqual([]);
    expect(withFiller('{{unknown}}')).toEqual([]);
  });

  it('leave out the variables that have a value', () => {
    expect(withFiller('{{size}} {{name}}', {}, { size: 4 })).toEqual(['name: string']);
  });

  it('leave out the variables that its own response sets', () => {
    const response_mapping = [{ json_path_to_data: '$.size', destination_variable: 'size' }];
    expect(withFiller('{{size}} {{name}}', {}, {}, { response_mapping })).toEqual(['name: string']);
  });

  it('have the type that the state declares before the one of the agent', () => {
    const states = [
      {
        name: 'start',
        variables: [{ name: 'size', type: 'number' as const }],
        tools: [{ ...LOOKUP, filler_sentence: '{{size}} {{name}}' }],
      },
    ];
    expect(withFiller('', { states })).toEqual(['size: number', 'name: string']);
  });

  it('name the variable of a path into its value', () => {
    const variables = [{ name: 'booking', type: 'object' as const }];
    expect(withFiller('{{booking.items.0}}', { variables })).toEqual(['booking: object']);
    expect(withFiller('{{booking.number}}', { variables }, { booking: { number: 7 } })).toEqual([]);
  });

  it('do not exist for a tool without a filler', () => {
    expect(
      parametersOf({
        variables: [{ name: 'name' }],
        states: [
          { name: 'start', tools: [LOOKUP, { type: 'hang_up', name: 'bye', filler_sentence: 'Bye, {{name}}.' }] },
        ],
      }).ofTools,
    ).toEqual([[], ['name: string']]);
  });
});

describe('the parameters of a transition for variables', () => {
  const transitionWith = (filler_sentence: string | undefined, prompt: string) =>
    parametersOf({
      variables: [{ name: 'name' }, { name: 'day' }, { name: 'size' }],
      states: [
        {
          name: 'start',
          variables: [
            { name: 'day', type: 'date' },
            { name: 'size', type: 'integer' },
          ],
          transitions: [{ ...TO_NEXT, ...(filler_sentence !== undefined && { filler_sentence }) }],
        },
        { name: 'next', prompt, variables: [{ name: 'size', type: 'number' }] },
      ],
    }).ofTransitions[0];

  it('are those that its filler or the prompt of the next state names', () => {
    expect(transitionWith('Thank you, {{name}}.', 'Their day is {{day}}.')).toEqual(['name: string', 'day: date']);
    expect(transitionWith(undefined, 'You book a table.')).toEqual([]);
  });

  it('have the type that the next state declares, then the current one, then the agent', () => {
    expect(transitionWith(undefined, '{{size}} {{day}} {{name}}')).toEqual([
      'size: number',
      'day: date',
      'name: string',
    ]);
  });
});

describe('the names that a text needs and the call does not know', () => {
  it('are its variables without a value, and the variables of its paths', () => {
    const { context } = parametersOf({ states: [{ name: 'start', tools: [LOOKUP] }] }, { city: 'Genoa' });
    expect(namesWithoutValue(context, '{{city}} {{ street }} {{booking.total}} {{lookup}}')).toEqual([
      'street',
      'street',
      'booking.total',
      'booking',
    ]);
    expect(namesWithoutValue(context, 'No variable.')).toEqual([]);
  });
});
