import { describe, expect, it } from 'vitest';
import {
  applyingVariables,
  declaredType,
  setVariable,
  variableAtPath,
  variableLookup,
  variableTypeOf,
} from '../../../engine/variables/variables.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const AGENT = agentWith({
  variables: [
    { name: 'size', type: 'integer' },
    { name: 'day', type: 'date' },
  ],
  states: [
    { name: 'start', variables: [{ name: 'size', type: 'string' }], tools: [{ type: 'wait', name: 'pause' }] },
    { name: 'other', variables: [{ name: 'late', type: 'boolean' }] },
  ],
  initial_state_name: 'start',
});
const known = (values: Readonly<Record<string, string | number>>) =>
  new Map(Object.entries(values).map(([name, value]) => [name, { value, atUs: 0 }]));

describe('the type of a value', () => {
  it.each([
    [1, 'integer'],
    [1.5, 'number'],
    [true, 'boolean'],
    ['x', 'string'],
    [[], 'array'],
    [{}, 'object'],
    [null, 'object'],
  ] as const)('%j is %s', (value, type) => {
    expect(variableTypeOf(value)).toBe(type);
  });

  it('is declared by the state it is in, the agent, any state, or the service', () => {
    const { context } = ruleStep({ agent: AGENT });
    expect(['size', 'day', 'late', 'call_start_time', 'nobody'].map((name) => declaredType(context, name))).toEqual([
      'string',
      'date',
      'boolean',
      'datetime',
      null,
    ]);
    expect(declaredType({ ...context, stateIndex: 1 }, 'size')).toBe('integer');
  });
});

describe('the variables that apply', () => {
  it('are the agent’s and the state’s own, which comes first where both have the name', () => {
    const { context } = ruleStep({ agent: AGENT });
    expect(applyingVariables(context).map(({ name, type }) => [name, type])).toEqual([
      ['size', 'string'],
      ['day', 'date'],
    ]);
    expect(applyingVariables({ ...context, stateIndex: 1 }).map(({ name }) => name)).toEqual(['size', 'day', 'late']);
  });
});

describe('a value', () => {
  it('is found by its whole name, or else by a path into it', () => {
    const values: Readonly<Record<string, object | string>> = {
      order: { items: ['a', 'b'] },
      'a.b': 'whole',
      a: { b: 'part' },
    };
    const at = (path: string) =>
      variableAtPath((name) => JSON.parse(JSON.stringify(values[name] ?? null)) ?? undefined, path);
    expect(at('order.items.1')).toBe('b');
    expect(at('a.b')).toBe('whole');
    expect(at('order.items.2')).toBeUndefined();
    expect(at('order.none.0')).toBeUndefined();
    expect(at('nobody')).toBeUndefined();
    expect(at('.')).toBeUndefined();
  });

  it('of the name of one of the state’s tools is that name, unless a variable has it', () => {
    const { context } = ruleStep({ agent: AGENT, variables: known({ day: '2026-03-01' }) });
    const lookup = variableLookup(context);
    expect([lookup('pause'), lookup('day'), lookup('bye')]).toEqual(['pause', '2026-03-01', undefined]);
    expect(variableLookup({ ...context, variables: known({ pause: 'now' }) })('pause')).toBe('now');
    expect(variableLookup({ ...context, stateIndex: 1 })('pause')).toBeUndefined();
  });

  it('is set in its declared type, told where it changes, and left out where it cannot be one', () => {
    const step = ruleStep({ agent: AGENT, stateIndex: 1 }, 5);
    setVariable(step, 'size', '4', null);
    expect(issuedCommands(step)).toEqual([
      {
        type: 'journal.write',
        entry: { type: 'variable', name: 'size', variableType: 'integer', value: 4, atUs: 5_000 },
      },
    ]);
    setVariable(step, 'size', 4, null);
    setVariable(step, 'size', 'many', null);
    setVariable(step, 'size', null, null);
    expect(step.commands).toHaveLength(1);
    setVariable(step, 'unheard', [1], null);
    expect(issuedCommands(step).at(-1)).toMatchObject({
      entry: { name: 'unheard', variableType: 'array', value: [1] },
    });
  });

  it('once all that are declared have one, is told as that, once', () => {
    const step = ruleStep({ agent: AGENT });
    const resolved = () =>
      issuedCommands(step).filter((one) => one.type === 'journal.write' && one.entry.type === 'variables_resolved');
    setVariable(step, 'size', '4', null);
    setVariable(step, 'day', '2026-03-01', null);
    expect(resolved()).toEqual([]);
    setVariable(step, 'late', 'no', null);
    expect(resolved()).toHaveLength(1);
    setVariable(step, 'late', 'yes', null);
    expect(resolved()).toHaveLength(1);
    const nothing = ruleStep({ agent: agentWith({}) });
    setVariable(nothing, 'x', 1, null);
    expect(nothing.context.variablesResolved).toBe(false);
  });
});
