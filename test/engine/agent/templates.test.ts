import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../engine/agent/json-value.ts';
import {
  fillTemplate,
  fillUrlTemplate,
  missingIn,
  parseTemplate,
  VALUES_LENGTH_MAX,
  valueAt,
} from '../../../engine/agent/templates.ts';

const VALUES = new Map<string, JsonValue>([
  ['name', 'Ada {{secret}}'],
  ['order', { items: [{ size: 2 }], note: null }],
  ['path', '../admin'],
  ['dots', '..'],
  ['dot', '.'],
  ['encoded', 'a%2f%2e%2e%2fb'],
  ['slash', '/'],
  ['link', 'https://b.example'],
  ['rooted', '/x'],
  ['ended', 'x/'],
  ['nested', 'a/b'],
  ['secret', 'never'],
]);
const lookup = (path: string) => {
  const [name = '', ...members] = path.split('.');
  return valueAt(VALUES.get(name), members);
};

describe('templates', () => {
  it('are filled in one pass: a placeholder inside a value stays as it is', () => {
    expect(fillTemplate('Hello {{ name }}, {{order.items.0.size}} of {{order.items}}{{order.note}}.', lookup)).toEqual({
      text: 'Hello Ada {{secret}}, 2 of [{"size":2}].',
      missing: [],
    });
  });

  it('fill a missing value with nothing, and report its name', () => {
    expect(fillTemplate('{{missing}} and {{__proto__.x}} and {{order.constructor}}', lookup)).toEqual({
      text: ' and  and ',
      missing: ['missing', '__proto__.x', 'order.constructor'],
    });
  });

  it('percent-encode values in a URL', () => {
    expect(fillUrlTemplate('https://a.example/{{name}}?q={{path}}', lookup).url).toBe(
      'https://a.example/Ada%20%7B%7Bsecret%7D%7D?q=..%2Fadmin',
    );
    expect(fillUrlTemplate('https://a.example/x?q={{ path }}', lookup).url).toBe('https://a.example/x?q=..%2Fadmin');
    expect(fillUrlTemplate('https://a.example/x?d={{dots}}', lookup).url).toBe('https://a.example/x?d=..');
  });

  it.each([
    ['dot segments', '{{dots}}/x'],
    ['dot segments of literal and value', '.{{missing}}'],
    ['dot segments of two values', '{{dot}}{{dot}}'],
    ['dot segments for a server that decodes the path before it splits it', '{{path}}/x'],
    ['dot segments after a backslash', 'x\\{{dots}}'],
    ['dot segments that the value encodes', '{{encoded}}'],
    ['an empty segment', 'customers/{{missing}}/orders'],
    ['an empty last segment', 'customers/{{missing}}'],
    ['an empty segment for a server that decodes the path', 'customers/{{slash}}'],
    ['an empty segment before its text', 'customers/{{rooted}}/orders'],
    ['an empty segment after its text', 'customers/{{ended}}/orders'],
    ['an empty segment inside its text', 'look/{{link}}'],
  ])('refuse a value of a URL that forms %s', (_case, path) => {
    expect(fillUrlTemplate(`https://a.example/${path}`, lookup).url).toBeNull();
  });

  it('let a path value hold slashes, and a template its own empty segments', () => {
    expect(fillUrlTemplate('https://a.example//{{nested}}/', lookup).url).toBe('https://a.example//a%2Fb/');
  });

  it.each(['https://{{missing}}/look', 'https://{{missing}}?q=1', 'https://{{missing}}\\look', '{{missing}}/look'])(
    'refuse a URL whose host a value would fill: %s',
    (template) => {
      expect(fillUrlTemplate(template, lookup)).toEqual({ url: null, missing: ['missing'] });
    },
  );

  it.each(['{{a b}}', '{{}}', '{{a.}}', '{{open', '{{a{{b}}'])('report a syntax error: %s', (text) => {
    expect(parseTemplate(text).fault).not.toBeNull();
  });

  it('list the names of their placeholders', () => {
    expect(parseTemplate('{{a}} {{ b.c.0 }} { x } }}')).toEqual({ paths: ['a', 'b.c.0'], fault: null });
  });
});

/** Sizes that a tenant may choose. Each case took minutes or all memory while its cost grew with the square of the sizes, or with their product. */
describe('a template with as many placeholders as a prompt can hold', () => {
  const PLACEHOLDERS = 20_000;
  const VALUE_LENGTH = 1_000_000;

  it('takes values up to a bound; those beyond count as missing', () => {
    const value = 'x'.repeat(VALUE_LENGTH);
    const { text, missing } = fillTemplate('{{a}}'.repeat(PLACEHOLDERS), () => value);
    expect(text).toHaveLength(VALUES_LENGTH_MAX);
    expect(missing).toHaveLength(PLACEHOLDERS - VALUES_LENGTH_MAX / VALUE_LENGTH);
    expect(missingIn('{{a}}{{b}}', (path) => (path === 'a' ? value : undefined))).toEqual(['b']);
  });

  it('makes no URL of values beyond that bound', () => {
    const url = `https://a.example/?${'{{a}}'.repeat(400)}`;
    expect(fillUrlTemplate(url, () => 'é'.repeat(VALUE_LENGTH)).url).toBeNull();
  });

  it('is filled in time, also on one line', () => {
    const places: boolean[] = [];
    fillTemplate(
      `${'{{a}}'.repeat(20 * PLACEHOLDERS)} x {{a}}\n{{a}}`,
      () => '',
      (_value, { isLeading }) => {
        places.push(isLeading);
        return '';
      },
    );
    expect(places.slice(-3)).toEqual([true, false, true]);
  });

  it('finds the members of a long list in time', () => {
    const list = Array.from({ length: VALUE_LENGTH / 2 }, () => 1);
    const { text } = fillTemplate('{{list.7}}'.repeat(PLACEHOLDERS), () => valueAt(list, ['7']));
    expect(text).toHaveLength(PLACEHOLDERS);
    expect(valueAt(list, ['length'])).toBeUndefined();
  });
});
