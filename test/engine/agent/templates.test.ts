import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../engine/agent/json-value.ts';
import { fillTemplate, fillUrlTemplate, parseTemplate, valueAt } from '../../../engine/agent/templates.ts';

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
    expect(fillUrlTemplate('https://a.example/x?d={{dots}}', lookup).url).toBe('https://a.example/x?d=..');
  });

  it.each([
    ['dot segments', '{{dots}}/x'],
    ['dot segments of literal and value', '.{{missing}}'],
    ['dot segments of two values', '{{dot}}{{dot}}'],
    ['dot segments for a server that decodes the path before it splits it', '{{path}}/x'],
    ['dot segments behind a backslash', 'x\\{{dots}}'],
    ['dot segments that the value encodes', '{{encoded}}'],
    ['an empty segment', 'customers/{{missing}}/orders'],
    ['an empty last segment', 'customers/{{missing}}'],
    ['an empty segment for a server that decodes the path', 'customers/{{slash}}'],
    ['an empty segment before its text', 'customers/{{rooted}}/orders'],
    ['an empty segment behind its text', 'customers/{{ended}}/orders'],
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
