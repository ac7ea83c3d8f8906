import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMessage } from '../../../sip/message/parse-message.ts';
import { serializeMessage, UnserializableMessage } from '../../../sip/message/serialize-message.ts';
import type { SipHeader, SipMessage, SipRequest } from '../../../sip/message/sip-message.ts';

const HEADERS: readonly SipHeader[] = [
  { name: 'Via', value: 'SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1' },
  { name: 'From', value: '<sip:a@192.0.2.1>;tag=1' },
  { name: 'To', value: '<sip:b@192.0.2.2>' },
  { name: 'Call-ID', value: 'x@y' },
  { name: 'CSeq', value: '1 INVITE' },
];

const INVITE: SipRequest = {
  kind: 'request',
  method: 'INVITE',
  uri: 'sip:b@192.0.2.2',
  headers: HEADERS,
  body: new Uint8Array(0),
};

function textOf(message: SipMessage): string {
  return new TextDecoder().decode(serializeMessage(message));
}

it('replaces every Content-Length by the length of the body in bytes', () => {
  const body = new TextEncoder().encode('müde');
  const headers = [{ name: 'l', value: '99' }, ...HEADERS, { name: 'Content-Length', value: '1' }];
  const text = textOf({ ...INVITE, headers, body });
  expect(text.match(/Content-Length|^l:/gim)).toHaveLength(1);
  expect(text).toContain('Content-Length: 5\r\n\r\nmüde');
});

describe('refuses a message that a peer would parse differently', () => {
  const withHeader = (name: string, value: string) => ({ ...INVITE, headers: [...HEADERS, { name, value }] });

  it.each([
    ['a line feed in a value', withHeader('X-A', 'v\nX-Evil: 1')],
    ['a carriage return in a value', withHeader('X-A', 'v\rX-Evil: 1')],
    ['NUL in a value', withHeader('X-A', 'v\0')],
    ['a fold in a value', withHeader('X-A', 'v\r\n w')],
    ['a colon in a name', withHeader('X-A: b', 'v')],
    ['an empty name', withHeader('', 'v')],
    ['a line feed in a name', withHeader('X\nY', 'v')],
    ['a method that is not a token', { ...INVITE, method: 'IN VITE' }],
    ['a Request-URI with a blank', { ...INVITE, uri: 'sip:a SIP/2.0\r\nX: y' }],
    ['an empty Request-URI', { ...INVITE, uri: '' }],
    ['a line break in a reason', { kind: 'response', status: 200, reason: 'a\r\nb', headers: [], body: INVITE.body }],
    ['a status of 99', { kind: 'response', status: 99, reason: '', headers: [], body: INVITE.body }],
    ['a status of 200.5', { kind: 'response', status: 200.5, reason: '', headers: [], body: INVITE.body }],
  ] satisfies [string, SipMessage][])('%s', (_, message) => {
    expect(() => serializeMessage(message)).toThrow(UnserializableMessage);
  });
});

const token = fc.stringMatching(/^[A-Za-z0-9\-.!%*_+`'~]{1,12}$/);
const text = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the parser refuses control characters.
  .map((value) => value.replace(/[\x00-\x1f\x7f]/g, '').replace(/^ +| +$/g, ''));
const extension = fc.record({ name: token.map((name) => `X-${name}`), value: text });
const body = fc.uint8Array({ maxLength: 200 });
const wordOf = (pattern: RegExp) => fc.stringMatching(pattern);

const request = fc
  .record({
    method: token,
    user: wordOf(/^[a-z0-9+*]{1,10}$/),
    host: fc.oneof(
      fc.ipV4(),
      fc.ipV6().map((address) => `[${address}]`),
      wordOf(/^[a-z][a-z0-9]{0,8}\.[a-z]{2,4}$/),
    ),
    number: fc.nat({ max: 2 ** 31 - 1 }),
    extensions: fc.array(extension, { maxLength: 6 }),
    body,
  })
  .map(({ method, user, host, number, extensions, body: content }): SipMessage => {
    const cseq = { name: 'CSeq', value: `${number} ${method}` };
    const length = { name: 'Content-Length', value: String(content.length) };
    const headers = [...HEADERS.slice(0, 4), cseq, ...extensions, length];
    return { kind: 'request', method, uri: `sip:${user}@${host}`, headers, body: content };
  });

const response = fc
  .record({ status: fc.integer({ min: 100, max: 699 }), reason: text, extensions: fc.array(extension), body })
  .map(({ status, reason, extensions, body: content }): SipMessage => {
    const length = { name: 'Content-Length', value: String(content.length) };
    return { kind: 'response', status, reason, headers: [...HEADERS, ...extensions, length], body: content };
  });

it('a serialized message is parsed as the same message', () => {
  fc.assert(
    fc.property(fc.oneof(request, response), (message) => {
      expect(parseMessage(serializeMessage(message))).toEqual({ ok: true, message });
    }),
    { numRuns: 500 },
  );
});
