import { expect, it } from 'vitest';
import { parseExtensions } from '../../../src/configuration/extensions.ts';

it('reads names, short numbers and ranges of them', () => {
  expect(parseExtensions(' 1001, 2000-2099,front-desk,*97, ')).toEqual({
    names: new Set(['1001', 'front-desk', '*97']),
    ranges: [{ first: '2000', last: '2099' }],
  });
  expect(parseExtensions('')).toEqual({ names: new Set(), ranges: [] });
});

it.each(['1234567', '+33155555555', '*7219005551234', '2099-2000', '1-10', 'a b', 'a@b', 'a%20', '1000000-1999999'])(
  'refuses %s',
  (text) => expect(parseExtensions(text)).toBeNull(),
);
