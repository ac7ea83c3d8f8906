import { describe, expect, it } from 'vitest';
import type { TranscriptEntry } from '../../../engine/ports/journal.ts';
import {
  actualOf,
  describeExpectation,
  expectationSchema,
  isMet,
  type TurnResult,
} from '../../../src/conversation-test/expectation.ts';
import { includesValue } from '../../../src/conversation-test/expected-json.ts';

const BASE = { sequence: 1, startUs: 0, endUs: 0 };
const agentEntry = (content: string): TranscriptEntry => ({ ...BASE, role: 'agent', content, interrupted: false });

const TURN: TurnResult = {
  entries: [
    { ...BASE, role: 'user', content: 'a table, sorry to bother you' },
    agentEntry('One moment, please.'),
    {
      ...BASE,
      role: 'tool_call',
      content: '',
      toolCallId: 'c1',
      name: 'find_slot',
      toolType: 'custom_function',
      arguments: { day: 'monday', guests: 4, where: { inside: true, floor: 1 } },
    },
    agentEntry('For how many people?'),
  ],
  state: 'booking',
  variables: [
    { name: 'party_size', type: 'integer', value: 4 },
    { name: 'address', type: 'object', value: { city: 'Pau' } },
  ],
};

function isMetBy(expectation: unknown): boolean {
  return isMet(expectationSchema.parse(expectation), TURN);
}

describe('an expectation is met', () => {
  it.each<unknown>([
    { text: 'how many' },
    { text: '/^One moment.*people\\?$/' },
    { text: '/FOR HOW MANY/i' },
    { tool: 'find_slot' },
    { tool: 'find_slot', arguments: { day: 'monday' } },
    { tool: 'find_slot', arguments: { where: { inside: true } } },
    { state: 'booking' },
    { variable: { party_size: 4 } },
    { variable: { party_size: 4, address: { city: 'Pau' } } },
    { absent: { text: 'sorry' } },
    { absent: { tool: 'end_call' } },
    { absent: { tool: 'find_slot', arguments: { day: 'friday' } } },
    { absent: { state: 'greeting' } },
    { absent: { variable: { party_size: 5 } } },
    { absent: { variable: { guest_name: 'Ada' } } },
  ])('by %j', (expectation) => {
    expect(isMetBy(expectation)).toBe(true);
  });
});

describe('an expectation is not met', () => {
  it.each<unknown>([
    { text: 'How many' },
    { text: 'sorry' },
    { text: '/how much/i' },
    { tool: 'book' },
    { tool: 'find_slot', arguments: { day: 'Monday' } },
    { tool: 'find_slot', arguments: { day: 'monday', hour: 8 } },
    { tool: 'find_slot', arguments: { where: { inside: true, floor: 2 } } },
    { tool: 'find_slot', arguments: { guests: '4' } },
    { state: 'book' },
    { variable: { party_size: '4' } },
    { variable: { party_size: 4, guest_name: 'Ada' } },
    { variable: { address: {} } },
    { variable: { toString: null } },
    { absent: { text: 'people' } },
    { absent: { tool: 'find_slot' } },
    { absent: { state: 'booking' } },
    { absent: { variable: { party_size: 4 } } },
  ])('by %j', (expectation) => {
    expect(isMetBy(expectation)).toBe(false);
  });
});

describe('an expectation is refused', () => {
  it.each([
    [{}, 'expected exactly one of text, tool, state, variable'],
    [{ text: 'a', state: 'b' }, 'expected exactly one of text, tool, state, variable'],
    [{ text: 'a', arguments: {} }, 'expected only together with tool'],
    [{ text: '/(/' }, 'Unterminated group'],
    [{ text: '/a/qq' }, 'Invalid flags'],
    [{ text: '' }, 'Too small'],
    [{ txt: 'a' }, 'Unrecognized key'],
    [{ absent: { text: 'a' }, state: 'b' }, 'expected absent alone, not with state'],
    [{ absent: { absent: { text: 'a' } } }, 'Unrecognized key'],
    [{ absent: {} }, 'expected exactly one of text, tool, state, variable'],
    [{ variable: ['a'] }, 'expected record'],
    ['text', 'expected object'],
  ])('if it is %j', (expectation, message) => {
    const result = expectationSchema.safeParse(expectation);
    expect(result.error?.issues.map((issue) => issue.message).join('\n')).toContain(message);
  });
});

it('a regular expression with the flag g matches from the start each time', () => {
  const expectation = expectationSchema.parse({ text: '/people/g' });
  expect([isMet(expectation, TURN), isMet(expectation, TURN)]).toEqual([true, true]);
});

it('an expectation is described in words, with the actual value', () => {
  const descriptionAndActual = (input: unknown) => {
    const expectation = expectationSchema.parse(input);
    return [describeExpectation(expectation), actualOf(expectation, TURN)];
  };
  expect(descriptionAndActual({ text: '/a/i' })).toEqual(['text /a/i', null]);
  expect(descriptionAndActual({ absent: { tool: 'x', arguments: { a: 1 } } })).toEqual([
    'no tool x with {"a":1}',
    null,
  ]);
  expect(descriptionAndActual({ state: 'x' })).toEqual(['state x', 'state booking']);
  expect(descriptionAndActual({ variable: { party_size: 5, nobody: 1 } })).toEqual([
    'variable {"party_size":5,"nobody":1}',
    'party_size = 4, nobody has no value',
  ]);
});

it('a list includes only an equal list, and inherited properties do not count as fields', () => {
  expect(includesValue([1, 2], [1, 2])).toBe(true);
  expect(includesValue([1, 2, 3], [1, 2])).toBe(false);
  expect(includesValue({ a: 1 }, { constructor: {} })).toBe(false);
  expect(includesValue(null, {})).toBe(false);
});
