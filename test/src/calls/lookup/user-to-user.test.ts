import { expect, it } from 'vitest';
import { userToUserText } from '../../../../src/calls/lookup/user-to-user.ts';

it.each([
  ['4711', '4711'],
  ['4711;encoding=ascii;content=text', '4711'],
  ['"a;b, c"', 'a;b, c'],
  ['416461;encoding=hex', 'Ada'],
  ['416461 ; purpose=x ; ENCODING=HEX', 'Ada'],
  // RFC 7434: the protocol discriminator comes first.
  ['00416461;encoding=hex;purpose=isdn-uui', 'Ada'],
  ['04416461;encoding=hex', 'Ada'],
  ['c3a9;encoding=hex', 'é'],
  // Without an encoding, digits are digits.
  ['416461', '416461'],
  // Octets that are no text remain unchanged.
  ['ff00ff;encoding=hex', 'ff00ff'],
  ['410a41;encoding=hex', '410a41'],
  ['4164 61;encoding=hex', '4164 61'],
  ['416;encoding=hex', '416'],
  ['first;encoding=x, second', 'first'],
  ['', ''],
])('User-to-User %j is the text %j', (header, text) => {
  expect(userToUserText(header)).toBe(text);
});
