import { expect, test } from 'vitest';
import { redirectContact } from '../../../../src/calls/redirect/redirect-contact.ts';

test('a redirected call is sent to the number at its own trunk', () => {
  expect(redirectContact('+33155555555', { terminationUri: 'carrier.example:5070' })).toBe(
    '<sip:+33155555555@carrier.example:5070;user=phone>',
  );
  expect(redirectContact('+33155555555', { terminationUri: '[2001:db8::1]' })).toBe(
    '<sip:+33155555555@[2001:db8::1];user=phone>',
  );
});

test('and without one to the number alone', () => {
  expect(redirectContact('+33155555555', null)).toBe('<tel:+33155555555>');
});
