import { expect, it } from 'vitest';
import { byteRange } from '../../../../src/api/recordings/byte-range.ts';

it.each([
  ['bytes=0-1', { start: 0, end: 1 }],
  ['bytes=0-', { start: 0, end: 8 }],
  ['bytes=3-100', { start: 3, end: 8 }],
  ['bytes=8-8', { start: 8, end: 8 }],
  ['bytes=-4', { start: 5, end: 8 }],
  ['bytes=-100', { start: 0, end: 8 }],
])('parses %s of a file of nine bytes as %o', (header, range) => {
  expect(byteRange(header, 9)).toEqual(range);
});

it.each([
  undefined,
  '',
  'bytes=',
  'bytes=-',
  'bytes=9-',
  'bytes=-0',
  'bytes=2-1',
  'bytes=0-1,3-4',
  'bytes=a-b',
  'lines=0-1',
])('sends a file of nine bytes whole for the range %s', (header) => {
  expect(byteRange(header, 9)).toBeNull();
});

it('an empty file has no ranges', () => {
  expect(byteRange('bytes=0-', 0)).toBeNull();
});
