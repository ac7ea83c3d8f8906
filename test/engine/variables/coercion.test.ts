import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../engine/agent/json-value.ts';
import { variableTypeSchema } from '../../../engine/agent/variable-schema.ts';
import { coerce, parseJson } from '../../../engine/variables/coercion.ts';

describe('the coercion of a value', () => {
  it.each([
    [3, 'string', '3'],
    [{ a: 1 }, 'string', '{"a":1}'],
    ['4', 'integer', 4],
    [' 4.5 ', 'number', 4.5],
    ['4.5', 'integer', undefined],
    ['four', 'number', undefined],
    ['', 'number', undefined],
    ['Yes', 'boolean', true],
    [0, 'boolean', false],
    ['maybe', 'boolean', undefined],
    ['2026-03-01', 'date', '2026-03-01'],
    ['2026-03-01T10:00:00Z', 'date', '2026-03-01'],
    ['2026-02-31', 'date', undefined],
    ['tomorrow', 'date', undefined],
    ['2026-03-01T10:00:00Z', 'datetime', '2026-03-01T10:00:00Z'],
    ['soon', 'datetime', undefined],
    [JSON.parse('{"toString":0}'), 'boolean', undefined],
    ['{"a":1}', 'object', { a: 1 }],
    ['[1]', 'object', undefined],
    ['[1]', 'array', [1]],
    [{ a: 1 }, 'array', undefined],
    ['  ', 'number', undefined],
    [true, 'number', undefined],
    [true, 'boolean', true],
    [false, 'boolean', false],
    [' On ', 'boolean', true],
    [' 2026-03-01 ', 'date', '2026-03-01'],
    [20_260_301, 'date', undefined],
    [2026, 'datetime', undefined],
    ['null', 'object', undefined],
    [7, 'object', undefined],
    ['7', 'object', undefined],
    ['{', 'object', undefined],
    ['[', 'array', undefined],
    [null, 'string', undefined],
    ['', 'string', undefined],
  ] as const)('handles %j as %s', (value, type, expected) => {
    expect(coerce(value, type)).toEqual(expected);
  });

  it('takes JSON of 64 levels at most', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}7${']'.repeat(levels)}`;
    expect(coerce(nested(64), 'array')).toEqual(JSON.parse(nested(64)));
    expect(coerce(nested(65), 'array')).toBeUndefined();
    expect(parseJson('7')).toBe(7);
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...variableTypeSchema.options), (value, type) => {
        const json: JsonValue = JSON.parse(JSON.stringify(value));
        const once = coerce(json, type);
        expect(coerce(once, type)).toEqual(once);
      }),
    );
  });
});
