import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from '../../../../src/cli/replay/line-diff.ts';

describe('a diff of lines', () => {
  it('is empty for equal texts', () => {
    expect(lineDiff([], [])).toEqual([]);
    expect(lineDiff(['a', 'b'], ['a', 'b'])).toEqual([]);
  });

  it('shows removed, added and changed lines with two lines of context', () => {
    const before = ['1', '2', '3', '4', 'old', '6', '7', '8', '9', '10', 'gone', '12'];
    const after = ['1', '2', '3', '4', 'new', '6', '7', '8', '9', '10', '12'];
    expect(lineDiff(before, after)).toEqual([
      '  3',
      '  4',
      '- old',
      '+ new',
      '  6',
      '  7',
      '  …',
      '  9',
      '  10',
      '- gone',
      '  12',
    ]);
  });

  it('replaces the whole text if both texts are too long for a comparison by line', () => {
    const long = (of: string) => Array.from({ length: 3_000 }, (_, line) => `${of}${line}`);
    expect(lineDiff(long('a'), long('b'))).toHaveLength(6_000);
  });

  it('contains all changed lines of any two texts', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const reported = lineDiff(before, after);
        const marked = (mark: string) => reported.filter((line) => line.startsWith(mark)).length;
        expect(marked('+') - marked('-')).toBe(after.length - before.length);
        expect(reported.length === 0).toBe(JSON.stringify(before) === JSON.stringify(after));
      }),
    );
  });
});
