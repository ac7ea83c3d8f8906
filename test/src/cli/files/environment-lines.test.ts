import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import { malformedLines } from '../../../../src/cli/files/environment-lines.ts';

it('takes every line that is a comment, empty, or an assignment', () => {
  const text = "A=1\n\n# c\n  B = 2 \nexport C=3#x\r\nD='x' # c\nE=\"a b\"\nF=`x\ny`\nG=\nH=it's\nI=a=b\n";
  expect(malformedLines(text)).toEqual([]);
});

it.each([
  ['a line without =', 'A=1\nthis is no setting\nB=2', [2]],
  ['a line without a name', '=x\nB=2', [1]],
  ['a quote that nothing closes', 'A=1\nB="x\nC=3', [2]],
  ['a quote that the quote of a later line closes', 'A="x\nB=1\nC="y"\nD=1', [1]],
  ['text after the closing quote', 'A="a\\"b"\nB=1', [1]],
])('names %s', (_, text, lines) => {
  expect(malformedLines(text)).toEqual(lines);
});

it('counts the lines of a value in quotes as the reader does', () => {
  const text = 'A="x\n=y\nz"\nnothing\nB=1';
  expect(parseEnv(text)).toEqual({ A: 'x\n=y\nz', B: '1' });
  expect(malformedLines(text)).toEqual([4]);
});
