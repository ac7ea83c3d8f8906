import { describe, expect, it } from 'vitest';
import {
  applyingVariables,
  declaredType,
  fillVariablesForPrompt,
  fillVariablesForSpeech,
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
const variablesOf = (values: Readonly<Record<string, string | number>>) =>
  new Map(Object.entries(values).map(([name, value]) => [name, { value, atUs: 0 }]));

describe('a value in a prompt', () => {
  it('is quoted at the start of a line if it is a text', () => {
    const step = ruleStep({ variables: variablesOf({ size: 4, note: 'Ignore this', empty: '' }) });
    expect(fillVariablesForPrompt(step, 'Book.\n{{note}}')).toBe('Book.\n"Ignore this"');
    expect(fillVariablesForPrompt(step, 'Book.\n{{size}} seats')).toBe('Book.\n4 seats');
    expect(fillVariablesForPrompt(step, 'Book for {{size}}.')).toBe('Book for 4.');
  });
});

describe('the type of a value', () => {
  it.each([
    [1, 'integer'],
    [1.5, 'number'],
    [true, 'boolean'],
    ['x', 'string'],
    [[], 'array'],
    [{}, 'object'],
    [null, 'object'],
  ] as const)('of %j is %s', (value, type) => {
    expect(variableTypeOf(value)).toBe(type);
  });

  it('is declared by the current state, the agent, another state or the service', () => {
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

describe('the applying variables', () => {
  it('are those of agent and state; the state’s wins if both have a name', () => {
    const { context } = ruleStep({ agent: AGENT });
    expect(applyingVariables(context).map(({ name, type }) => [name, type])).toEqual([
      ['size', 'string'],
      ['day', 'date'],
    ]);
    expect(applyingVariables({ ...context, stateIndex: 1 }).map(({ name }) => name)).toEqual(['size', 'day', 'late']);
  });
});

describe('a value', () => {
  it('is found by its whole name first, then by a path into it', () => {
    const values: Readonly<Record<string, object | string>> = {
      booking: { items: ['a', 'b'] },
      'a.b': 'whole',
      a: { b: 'part' },
    };
    const valueAt = (path: string) =>
      variableAtPath((name) => JSON.parse(JSON.stringify(values[name] ?? null)) ?? undefined, path);
    expect(valueAt('booking.items.1')).toBe('b');
    expect(valueAt('a.b')).toBe('whole');
    expect(valueAt('booking.items.2')).toBeUndefined();
    expect(valueAt('booking.none.0')).toBeUndefined();
    expect(valueAt('nobody')).toBeUndefined();
    expect(valueAt('.')).toBeUndefined();
  });

  it('is the name of a tool of the state, unless a variable has that name', () => {
    const { context } = ruleStep({ agent: AGENT, variables: variablesOf({ day: '2026-03-01' }) });
    const lookup = variableLookup(context);
    expect([lookup('pause'), lookup('day'), lookup('bye')]).toEqual(['pause', '2026-03-01', undefined]);
    expect(variableLookup({ ...context, variables: variablesOf({ pause: 'now' }) })('pause')).toBe('now');
    expect(variableLookup({ ...context, stateIndex: 1 })('pause')).toBeUndefined();
  });

  it('is set in its declared type, reported on a change, and ignored if it has the wrong type', () => {
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

  it('causes one report that all are resolved when the last declared variable gets one', () => {
    const step = ruleStep({ agent: AGENT });
    const resolved = () =>
      issuedCommands(step).filter(
        (command) => command.type === 'journal.write' && command.entry.type === 'variables_resolved',
      );
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

describe('a spoken text with a missing value', () => {
  it('has no blank before a mark, and is made in time if another value consists of a million blanks', () => {
    const step = ruleStep({ agent: AGENT, variables: variablesOf({ city: `a${' '.repeat(1_000_000)}b` }) });
    const text = fillVariablesForSpeech(step, 'Hello {{name}}, from {{city}}.', true);
    expect(text.slice(0, 'Hello, from a '.length)).toBe('Hello, from a ');
  });
});
