import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsedJson } from '../../console/src/agents/document/agent-document.ts';
import { jsonErrorPlace } from '../../console/src/agents/document/json-error-place.ts';
import { jsonPlaceAt } from '../../console/src/agents/document/json-place.ts';

/** The place at `|`. */
function placeIn(typed: string) {
  const place = jsonPlaceAt(typed.replace('|', ''), typed.indexOf('|'));
  return place === null ? null : { kind: place.kind, path: place.path };
}

describe('the place in a half typed text', () => {
  it.each([
    ['{"a": [{"b": 1, |}]}', 'field', ['a', 0]],
    ['{"a": [{"b": 1}, {|}]}', 'field', ['a', 1]],
    ['{"a": [{"b": |}]}', 'value', ['a', 0, 'b']],
    ['{"a": "te|xt"}', 'value', ['a']],
    ['{"a": ["x", |]}', 'value', ['a', 1]],
    ['{"a": 1 "b|" "c": 2}', 'field', []],
    ['{"a": {"b": {"c|', 'field', ['a', 'b']],
    ['{ na| }', 'field', []],
    ['{"a": {"b": 1}\n |\n "c": 2}', 'field', []],
  ])('%s', (typed, kind, path) => {
    expect(placeIn(typed)).toEqual({ kind, path });
  });

  it('has the fields before and behind it', () => {
    expect(jsonPlaceAt('{"type": "wait", "d" "name": "w"}', 19)?.document).toEqual({ type: 'wait', name: 'w' });
  });

  it('is found in any text, and reads JSON as it is', () => {
    fc.assert(fc.property(fc.string(), fc.nat(20), (text, at) => void jsonPlaceAt(text, at)));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(jsonPlaceAt(JSON.stringify(value), 1)?.document).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('the first error of a JSON text', () => {
  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', { line: 3, column: 3 }],
    ['{\n  "a": [1, 2,]\n}', { line: 2, column: 14 }],
    ['{"a": tru}', { line: 1, column: 7 }],
    ['{"a": "open\n}', { line: 1, column: 7 }],
    ['{"a": 1', { line: 1, column: 8 }],
    ['', { line: 1, column: 1 }],
  ])('%j', (text, place) => {
    expect(jsonErrorPlace(text)).toEqual(place);
  });

  it('exists if and only if the text is no JSON', () => {
    const nearlyJson = fc
      .tuple(fc.json(), fc.nat(30), fc.constantFrom('', '"', ',', '}', 'x', '1', ' '))
      .map(([text, at, inserted]) => text.slice(0, at) + inserted + text.slice(at));
    fc.assert(
      fc.property(fc.oneof(nearlyJson, fc.string()), (text) => {
        const isJson = parsedJson(text) !== null || text.trim() === 'null';
        expect(jsonErrorPlace(text) === null).toBe(isJson);
      }),
      { numRuns: 1_000 },
    );
  });
});
