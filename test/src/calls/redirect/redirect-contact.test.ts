import { expect, it } from 'vitest';
import { redirectContact } from '../../../../src/calls/redirect/redirect-contact.ts';

it('a redirect names the number at the trunk of the call', () => {
  expect(redirectContact('+33155555555', { terminationUri: 'carrier.example:5070' })).toBe(
    '<sip:+33155555555@carrier.example:5070;user=phone>',
  );
  expect(redirectContact('+33155555555', { terminationUri: '[2001:db8::1]' })).toBe(
    '<sip:+33155555555@[2001:db8::1];user=phone>',
  );
});

it('a redirect without a trunk names only the number', () => {
  expect(redirectContact('+33155555555', null)).toBe('<tel:+33155555555>');
});
