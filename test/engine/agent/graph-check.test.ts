import { describe, expect, it } from 'vitest';
import { checkGraph, jsonPathFault } from '../../../engine/agent/graph-check.ts';
import { agentOf } from '../simulate.ts';

const TOOL = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com/{{name}}' };
const BYE = { type: 'hang_up' as const, name: 'bye' };

function check(agent: Parameters<typeof agentOf>[0]) {
  return checkGraph(agentOf(agent));
}

describe('the graph check', () => {
  it('finds nothing wrong with an agent that fits together', () => {
    const agent = {
      initial_message: 'Hello {{name}}, this is {{call_id}}.',
      base_prompt: 'Use {{lookup}}.',
      variables: [{ name: 'name' }],
      states: [
        { name: 'start', tools: [TOOL], transitions: [{ condition: 'c', destination_state_name: '__proto__' }] },
        { name: '__proto__', tools: [BYE] },
      ],
    };
    expect(check(agent)).toEqual({ faults: [], warnings: [] });
  });

  it('tells every fault with its path', () => {
    const agent = {
      initial_state_name: 'nowhere',
      initial_message: 'Hello {{',
      states: [
        {
          name: 'start',
          prompt: '{{a b}}',
          tools: [
            {
              ...TOOL,
              url: 'https://{{host}}/x',
              response_mapping: [{ json_path_to_data: '$[', destination_variable: 'x' }],
            },
            { ...TOOL, url: 'ftp://example.com' },
          ],
          transitions: [{ condition: 'c', destination_state_name: 'gone' }],
        },
        { name: 'start', tools: [{ ...TOOL, url: 'https://example.com/a/../b' }, BYE] },
      ],
    };
    expect(check(agent).faults.map(({ path }) => path)).toEqual([
      'initial_state_name',
      'states[0].transitions[0].destination_state_name',
      'states[0].tools[1].name',
      'states[1].name',
      'initial_message',
      'states[0].prompt',
      'states[0].tools[0].url',
      'states[0].tools[1].url',
      'states[1].tools[0].url',
      'states[0].tools[0].response_mapping[0].json_path_to_data',
    ]);
  });

  it('warns of what is probably not meant', () => {
    const agent = {
      base_prompt: 'You know {{stranger}}.',
      states: [
        {
          name: 'start',
          tools: [
            {
              ...TOOL,
              url: 'https://example.com',
              response_mapping: [{ json_path_to_data: '$.a', destination_variable: 'b' }],
            },
          ],
        },
        { name: 'island', tools: [BYE] },
      ],
    };
    expect(check(agent)).toEqual({
      faults: [],
      warnings: [
        { path: 'states[0]', message: 'the state has no way out, and no tool that hangs up or transfers' },
        { path: 'states[1]', message: 'no way leads to this state' },
        { path: 'base_prompt', message: '{{stranger}} is neither a tool, a declared variable nor a built-in one' },
        {
          path: 'states[0].tools[0].response_mapping[0].destination_variable',
          message: 'no variable of this name is declared',
        },
      ],
    });
  });

  it.each(['$.a[?match(@.b, "x*")]', '$[?!(search(@.b, "x") || @.c == 1)]', '$.a[?count(@[?match(@, "x")]) > 1]'])(
    'refuses regular expressions: %s',
    (path) => expect(jsonPathFault(path)).toMatch(/match|search/),
  );

  it.each(['$.a.b', '$..price', '$.match[0]', '$["search"]', '$[?length(@.a) > 1]'])('takes %s', (path) => {
    expect(jsonPathFault(path)).toBeNull();
  });
});
