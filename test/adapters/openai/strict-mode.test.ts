import { expect, it } from 'vitest';
import { fitsStrictMode } from '../../../adapters/openai/strict-mode.ts';
import type { JsonSchema } from '../../../engine/ports/language-model.ts';

function closed(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

it.each([
  closed({ name: { type: 'string' }, people: { type: ['integer', 'null'] } }),
  closed({ dishes: { type: 'array', items: closed({ name: { type: 'string' } }) } }),
  closed({ when: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] } }),
  closed({ size: { enum: ['small', 'large'] } }),
  closed({}),
])('strict mode accepts %j', (schema) => {
  expect(fitsStrictMode(schema)).toBe(true);
});

it.each([
  {},
  { type: 'object' },
  { type: 'object', properties: {}, required: [] },
  { ...closed({ name: { type: 'string' } }), required: [] },
  { ...closed({ name: { type: 'string' } }), additionalProperties: true },
  closed({ anything: {} }),
  closed({ free: { type: 'object' } }),
  closed({ list: { type: 'array' } }),
  closed({ list: { type: 'array', items: { type: 'object' } } }),
  closed({ either: { anyOf: [{ type: 'string' }, { type: 'object' }] } }),
  { type: 'object', properties: { odd: true }, required: ['odd'], additionalProperties: false },
])('strict mode refuses %j', (schema) => {
  expect(fitsStrictMode(schema)).toBe(false);
});
