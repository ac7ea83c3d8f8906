import { expect, it } from 'vitest';
import { redirectContacts } from '../../../sip/signalling/redirect-contacts.ts';

const response = (status: number, ...contacts: readonly string[]) => ({
  status,
  raw: [
    `SIP/2.0 ${status} Moved`,
    'Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1',
    'From: <sip:a@b.example>;tag=1',
    'To: <sip:c@b.example>;tag=2',
    'Call-ID: 1',
    'CSeq: 1 INVITE',
    ...contacts.map((contact) => `Contact: ${contact}`),
    'Content-Length: 0',
    '\r\n',
  ].join('\r\n'),
});

it('lists the Contact URIs of a redirect by falling q, at most five', () => {
  const contacts = ['<sip:low@x.example>;q=0.2, <sip:first@x.example>', '"Desk" <tel:+4930123456>;q=0.7'];
  expect(redirectContacts(response(302, ...contacts))).toEqual([
    'sip:first@x.example',
    'tel:+4930123456',
    'sip:low@x.example',
  ]);
  const many = Array.from({ length: 9 }, (_, n) => `<sip:${n}@x.example>`);
  expect(redirectContacts(response(300, ...many))).toHaveLength(5);
});

it.each([
  [302, []],
  [302, ['not an address <']],
  [305, ['<sip:proxy@x.example>']],
  [380, ['<sip:service@x.example>']],
  [404, ['<sip:a@x.example>']],
] as const)('lists none for %i with %j', (status, contacts) => {
  expect(redirectContacts(response(status, ...contacts))).toEqual([]);
});
