import { describe, expect, it } from 'vitest';
import { checkGraph, jsonPathFault } from '../../../engine/agent/graph-check.ts';
import { agentWith } from '../simulation/agent-with.ts';

const TOOL = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com/{{name}}' };
const BYE = { type: 'hang_up' as const, name: 'bye' };

function checkAgent(agent: Parameters<typeof agentWith>[0]) {
  return checkGraph(agentWith(agent));
}

describe('graph check', () => {
  it('accepts an agent whose parts fit together', () => {
    const agent = {
      initial_message: 'Hello {{name}}, this is {{call_id}}.',
      base_prompt: 'Use {{lookup}}.',
      variables: [{ name: 'name' }],
      states: [
        { name: 'start', tools: [TOOL], transitions: [{ condition: 'c', destination_state_name: '__proto__' }] },
        { name: '__proto__', tools: [BYE] },
      ],
    };
    expect(checkAgent(agent)).toEqual({ faults: [], warnings: [] });
  });

  it('warns of a greeting whose question takes the «no» that would refuse the recording', () => {
    const announcement = 'This call is recorded. Say no if you do not want that.';
    const states = [{ name: 'start', tools: [BYE] }];
    const warningsFor = (initial_message: string, spoken_refusal = true) =>
      checkAgent({ initial_message, states, recording_consent: { announcement, spoken_refusal } }).warnings;
    const warning = expect.objectContaining({ path: 'initial_message' });
    expect(warningsFor('How can I help you?')).toEqual([warning]);
    expect(warningsFor('هل يمكنني مساعدتك؟ ')).toEqual([warning]);
    expect(warningsFor('Tell me how I can help.')).toEqual([]);
    expect(warningsFor('How can I help you?', false)).toEqual([]);
    expect(checkAgent({ initial_message: 'How can I help you?', states }).warnings).toEqual([]);
  });

  it('reports every fault with its path', () => {
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
    expect(checkAgent(agent).faults.map(({ path }) => path)).toEqual([
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

  it('warns of a dead end, an unreachable state and undeclared names', () => {
    const agent = {
      base_prompt: 'You know {{undeclared}}.',
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
    expect(checkAgent(agent)).toEqual({
      faults: [],
      warnings: [
        { path: 'states[0]', message: 'the state has no transition and no tool that ends or transfers the call' },
        { path: 'states[1]', message: 'no transition leads to this state' },
        { path: 'base_prompt', message: '{{undeclared}} is not a tool, a declared variable or a built-in variable' },
        {
          path: 'states[0].tools[0].response_mapping[0].destination_variable',
          message: 'no declared variable has this name',
        },
      ],
    });
  });

  it.each(['$.a[?match(@.b, "x*")]', '$[?!(search(@.b, "x") || @.c == 1)]', '$.a[?count(@[?match(@, "x")]) > 1]'])(
    'refuses a JSON path with a regular expression: %s',
    (path) => expect(jsonPathFault(path)).toMatch(/match|search/),
  );

  it.each([
    'http://{{host}}/x',
    'https://api.{{domain}}/x',
    'https://example.com:{{port}}/x',
    'https://{{user}}@example.com/x',
    'https://example.com{{tail}}',
    'https:///{{host}}/x',
    '{{scheme}}://example.com/x',
    'javascript:alert(1)',
    '//example.com/x',
    'https://exa mple.com/x',
    'https://example.com/a/../b',
    'https://example.com/a/./b',
    'https://example.com/%2e%2E/b',
    'https://example.com/a\\..\\b',
    'https://example.com/.\t./b',
    'https://example.com/x#{{part}}',
  ])('refuses a URL whose host or path a value or a dot segment could change: %j', (url) => {
    const states = [{ name: 'start', tools: [{ ...TOOL, url }, BYE] }];
    expect(checkAgent({ states, variables: [{ name: 'host' }] }).faults.map(({ path }) => path)).toContain(
      'states[0].tools[0].url',
    );
  });

  it.each([
    'https://example.com',
    'http://10.0.0.1:8080/{{ a.b.0 }}/..x?q={{c}}&d=../e',
    'HTTPS://EXAMPLE.com/{{a}}.json',
  ])('accepts the URL %s', (url) =>
    expect(checkAgent({ states: [{ name: 'start', tools: [{ ...TOOL, url }, BYE] }] }).faults).toEqual([]),
  );

  it.each(['__proto__', 'a.b', '#x', 'constructor', '状態', '😀', ' '])(
    'accepts %j as the name of one state',
    (name) => {
      const state = { name, tools: [BYE], transitions: [{ condition: 'c', destination_state_name: name }] };
      expect(checkAgent({ initial_state_name: name, states: [state] })).toEqual({ faults: [], warnings: [] });
      expect(checkAgent({ initial_state_name: name, states: [state, state] }).faults).toEqual([
        { path: 'states[1].name', message: 'another state has this name' },
      ]);
    },
  );

  it('does not resolve names of built-in object members', () => {
    const transitions = [{ condition: 'c', destination_state_name: 'constructor' }];
    const found = checkAgent({
      initial_state_name: 'toString',
      base_prompt: '{{constructor}} {{__proto__.x}}',
      states: [{ name: 'start', transitions }],
    });
    expect(found.faults.map(({ path }) => path)).toEqual([
      'initial_state_name',
      'states[0].transitions[0].destination_state_name',
    ]);
    expect(found.warnings.map(({ message }) => message)).toEqual([
      'no transition leads to this state',
      '{{constructor}} is not a tool, a declared variable or a built-in variable',
      '{{__proto__.x}} is not a tool, a declared variable or a built-in variable',
    ]);
  });

  it('checks every text that may hold placeholders', () => {
    const unclosed = '{{';
    const found = checkAgent({
      initial_message: unclosed,
      base_prompt: unclosed,
      presence_check_phrases: ['Hello?', unclosed],
      on_provider_failure: { message: unclosed },
      states: [
        {
          name: 'start',
          prompt: unclosed,
          tools: [
            {
              ...TOOL,
              filler_sentence: unclosed,
              url: 'https://example.com/{{',
              headers: [
                { name: 'X-A', value: unclosed },
                { name: 'X-B', value: unclosed, secret: true },
              ],
            },
            { type: 'transfer_call', name: 'desk', destination: unclosed, headers: { 'X-A': unclosed } },
          ],
          transitions: [{ condition: 'c', destination_state_name: 'start', filler_sentence: unclosed }],
        },
      ],
    });
    expect(found.faults.map(({ path }) => path)).toEqual([
      'initial_message',
      'base_prompt',
      'presence_check_phrases[1]',
      'on_provider_failure.message',
      'states[0].prompt',
      'states[0].transitions[0].filler_sentence',
      'states[0].tools[0].filler_sentence',
      'states[0].tools[0].url',
      'states[0].tools[0].headers[0].value',
      'states[0].tools[1].destination',
      'states[0].tools[1].headers.X-A',
    ]);
  });

  it('warns of a parameter whose variable is not declared', () => {
    const parameters = ['call_id', 'order.items.0', 'undeclared', 'undeclared.name'].map((variable) => ({
      name: variable,
      value: { source: 'variable' as const, variable },
    }));
    const states = [{ name: 'start', tools: [{ ...TOOL, url: 'https://example.com', parameters }, BYE] }];
    expect(
      checkAgent({ states, variables: [{ name: 'order', type: 'object' }] }).warnings.map(({ path }) => path),
    ).toEqual(['states[0].tools[0].parameters[2].value.variable', 'states[0].tools[0].parameters[3].value.variable']);
  });

  it('refuses an invalid destination that holds no variable', () => {
    const tools = ['1001', '+4930123456', 'sip:{{desk}}@pbx.example', 'sip:a b@c'].map((destination, index) => ({
      type: 'transfer_call' as const,
      name: `desk_${index}`,
      destination,
      allowed_destinations: ['+49 30 1234567', '030 1234567'],
    }));
    const failing = { on_provider_failure: { action: 'transfer' as const, destination: '112' } };
    const found = checkAgent({ states: [{ name: 'start', tools }], variables: [{ name: 'desk' }], ...failing });
    expect(found.warnings).toEqual([]);
    expect(found.faults.map(({ path }) => path)).toEqual([
      'on_provider_failure.destination',
      'states[0].tools[0].destination',
      'states[0].tools[0].allowed_destinations[1]',
      'states[0].tools[1].allowed_destinations[1]',
      'states[0].tools[2].allowed_destinations[1]',
      'states[0].tools[3].destination',
      'states[0].tools[3].allowed_destinations[1]',
    ]);
  });

  it('refuses a sips: destination of a bridge, and names what it expects', () => {
    const tools = (['refer', 'bridge'] as const).map((mode) => ({
      type: 'transfer_call' as const,
      name: mode,
      mode,
      destination: 'sips:desk@pbx.example',
    }));
    expect(checkAgent({ states: [{ name: 'start', tools: [...tools, BYE] }] }).faults).toEqual([
      {
        path: 'states[0].tools[1].destination',
        message: 'expected an E.164 number (+ and 7 to 15 digits), `tel:` or `sip:` URI',
      },
    ]);
  });

  it('warns of a destination that is set during the call and that no list allows', () => {
    const tool = { type: 'transfer_call' as const, name: 'desk', destination: '{{desk}}' };
    const variables = [{ name: 'desk' }];
    const warningsWith = (overrides: object, destination = tool.destination) =>
      checkAgent({ states: [{ name: 'start', tools: [{ ...tool, destination, ...overrides }] }], variables }).warnings;
    expect(warningsWith({})).toEqual([
      {
        path: 'states[0].tools[0].allowed_destinations',
        message: expect.stringContaining('refused if {{desk}} is set during the call'),
      },
    ]);
    expect(warningsWith({ allowed_destinations: ['+4930111111'] })).toEqual([]);
    expect(warningsWith({}, '+4930111111')).toEqual([]);
    expect(warningsWith({}, '{{from_number}}')).toEqual([]);
  });

  it('accepts a state whose only way out is a transfer, a voicemail message or a hang-up', () => {
    for (const tool of [
      { type: 'transfer_call' as const, name: 'desk', destination: '+4930111111' },
      { type: 'leave_voicemail_message' as const, name: 'leave', filler_sentence: 'Please call back.' },
      BYE,
    ]) {
      expect(checkAgent({ states: [{ name: 'start', tools: [tool] }] }).warnings).toEqual([]);
    }
  });

  it('warns of a voicemail without a message, and of placeholders in a secret', () => {
    const leave = { type: 'leave_voicemail_message' as const, name: 'leave' };
    const secret = { name: 'Authorization', value: 'Bearer {{call_id}}', secret: true };
    const customFunction = {
      type: 'custom_function' as const,
      name: 'order',
      url: 'https://example.com',
      headers: [secret],
    };
    expect(checkAgent({ states: [{ name: 'start', tools: [leave, customFunction, BYE] }] }).warnings).toEqual([
      { path: 'states[0].tools[0].filler_sentence', message: expect.stringContaining('empty') },
      { path: 'states[0].tools[1].headers[0].value', message: expect.stringContaining('secret') },
    ]);
    const withoutPlaceholder = {
      ...customFunction,
      headers: [
        { ...secret, value: 'Bearer x' },
        { ...secret, secret: false },
      ],
    };
    expect(checkAgent({ states: [{ name: 'start', tools: [withoutPlaceholder, BYE] }] }).warnings).toEqual([]);
  });

  it.each(['$.a.b', '$..price', '$.match[0]', '$["search"]', '$[?length(@.a) > 1]'])(
    'accepts the JSON path %s',
    (path) => {
      expect(jsonPathFault(path)).toBeNull();
    },
  );
});
