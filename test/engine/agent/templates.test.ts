import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../engine/agent/json-value.ts';
import { fillTemplate, fillUrlTemplate, parseTemplate, valueAt } from '../../../engine/agent/templates.ts';

const VALUES = new Map<string, JsonValue>([
  ['name', 'Ada {{secret}}'],
  ['order', { items: [{ size: 2 }], note: null }],
  ['path', '../admin'],
  ['dots', '..'],
  ['secret', 'never'],
]);
const lookup = (path: string) => {
  const [name = '', ...keys] = path.split('.');
  return valueAt(VALUES.get(name), keys);
};

describe('a template', () => {
  it('is filled in one pass: what a value holds is never expanded', () => {
    expect(fillTemplate('Hello {{ name }}, {{order.items.0.size}} of {{order.items}}{{order.note}}.', lookup)).toEqual({
      text: 'Hello Ada {{secret}}, 2 of [{"size":2}].',
      missing: [],
    });
  });

  it('leaves nothing where a value is missing, and tells its name', () => {
    expect(fillTemplate('{{nobody}} and {{__proto__.x}} and {{order.constructor}}', lookup)).toEqual({
      text: ' and  and ',
      missing: ['nobody', '__proto__.x', 'order.constructor'],
    });
  });

  it('in a URL is percent-encoded, and climbs to no other path', () => {
    expect(fillUrlTemplate('https://a.example/{{name}}?q={{path}}', lookup).url).toBe(
      'https://a.example/Ada%20%7B%7Bsecret%7D%7D?q=..%2Fadmin',
    );
    expect(fillUrlTemplate('https://a.example/{{path}}/x', lookup).url).toBe('https://a.example/..%2Fadmin/x');
    expect(fillUrlTemplate('https://a.example/{{dots}}/x', lookup).url).toBeNull();
    expect(fillUrlTemplate('https://a.example/.{{nobody}}', lookup).url).toBeNull();
    expect(fillUrlTemplate('https://a.example/x?d={{dots}}', lookup).url).toBe('https://a.example/x?d=..');
  });

  it.each(['https://{{nobody}}/look', 'https://{{nobody}}?q=1', 'https://{{nobody}}\\look', '{{nobody}}/look'])(
    'in a URL leaves a host: %s',
    (template) => {
      expect(fillUrlTemplate(template, lookup)).toEqual({ url: null, missing: ['nobody'] });
    },
  );

  it.each(['{{a b}}', '{{}}', '{{a.}}', '{{open', '{{a{{b}}'])('that does not parse is told: %s', (text) => {
    expect(parseTemplate(text).fault).not.toBeNull();
  });

  it('tells the names that it holds', () => {
    expect(parseTemplate('{{a}} {{ b.c.0 }} { x } }}')).toEqual({ paths: ['a', 'b.c.0'], fault: null });
  });
});
