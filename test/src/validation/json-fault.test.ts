import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFault } from '../../../src/validation/json-fault.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('jsonFault', () => {
  it.each([
    ['{"a": }', 1, 7, 'a value'],
    ['{"a": 1,}', 1, 9, 'a name in double quotes'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'a , or the closing bracket'],
    ['{"a" 1}', 1, 6, 'a :'],
    ['{a: 1}', 1, 2, 'a name in double quotes or }'],
    ['[1, 2', 1, 6, 'a , or the closing bracket, and the text ends here'],
    ['[1}', 1, 3, 'a , or the closing bracket'],
    ['[1,]', 1, 4, 'a value'],
    ['["line\nbreak"]', 1, 2, 'a value or ]'],
    ['{"a": "x\\q"}', 1, 7, 'a value'],
    ["{'a': 1}", 1, 2, 'a name in double quotes or }'],
    ['{} // done', 1, 4, 'nothing more'],
    ['{"a": 01}', 1, 8, 'a , or the closing bracket'],
    ['\ufeff{}', 1, 1, 'a value'],
    ['nul', 1, 1, 'a value'],
    ['', 1, 1, 'a value, and the text ends here'],
    ['{"é": "😀" x}', 1, 12, 'a , or the closing bracket'],
  ])('returns the position of the fault in %j', (text, line, column, expected) => {
    expect(isJson(text)).toBe(false);
    expect(jsonFault(text)).toEqual({ line, column, expected });
  });

  it('finds a fault in exactly the texts that JSON.parse rejects', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', ':', '1', '\n', '\\', '\u0001', 'true'))
      .map(([text, at, piece]) => {
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + piece + text.slice(cut + 1);
      });
    fc.assert(
      fc.property(fc.oneof(fc.json(), damaged, fc.string()), (text) => {
        expect(jsonFault(text) === null).toBe(isJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads a string of one megabyte', () => {
    expect(jsonFault(JSON.stringify({ prompt: 'a"b'.repeat(350_000) }))).toBeNull();
  });
});
