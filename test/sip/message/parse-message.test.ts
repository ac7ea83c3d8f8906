import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HEADER_COUNT_MAX } from '../../../sip/message/header-section.ts';
import { getHeader, getHeaderLines } from '../../../sip/message/headers.ts';
import { MESSAGE_BYTES_MAX, parseMessage } from '../../../sip/message/parse-message.ts';
import type { SipMessage } from '../../../sip/message/sip-message.ts';
import { cpuMs } from '../../cpu-time.ts';
import { bytesOf, INVITE_LINES, inviteWith } from './sample-messages.ts';

function accepted(bytes: Uint8Array): SipMessage {
  const parsed = parseMessage(bytes);
  if (!parsed.ok) throw new Error(`refused: ${parsed.fault}`);
  return parsed.message;
}

function faultOf(bytes: Uint8Array): string {
  const parsed = parseMessage(bytes);
  return parsed.ok ? 'none' : parsed.fault;
}

test('a request is read whole', () => {
  const message = accepted(bytesOf(INVITE_LINES, 'v=0\r\n'));
  expect(message).toMatchObject({ kind: 'request', method: 'INVITE', uri: 'sip:agent@192.0.2.10' });
  expect(message.headers).toHaveLength(7);
  expect(new TextDecoder().decode(message.body)).toBe('v=0\r\n');
});

test('a response is read whole, with and without a reason', () => {
  const rest = INVITE_LINES.slice(1);
  expect(accepted(bytesOf(['SIP/2.0 180 Ringing', ...rest]))).toMatchObject({ status: 180, reason: 'Ringing' });
  expect(accepted(bytesOf(['SIP/2.0 200 ', ...rest]))).toMatchObject({ status: 200, reason: '' });
  expect(accepted(bytesOf(['SIP/2.0 200', ...rest]))).toMatchObject({ status: 200, reason: '' });
  expect(faultOf(bytesOf(['SIP/2.0 99 x', ...rest]))).toBe('malformed start line');
  expect(faultOf(bytesOf(['SIP/2.0 700 x', ...rest]))).toBe('malformed start line');
});

test('CRLFs before the start line are passed over', () => {
  expect(accepted(bytesOf(['', '', ...INVITE_LINES]))).toMatchObject({ method: 'INVITE' });
});

test('compact names, any case and blanks around the colon reach the same header', () => {
  const lines = inviteWith('Call-ID', 'I \t:\t short@x').map((line) => line.replace('Via:', 'v :'));
  const { headers } = accepted(bytesOf(lines));
  expect(getHeader(headers, 'call-id')).toBe('short@x');
  expect(getHeaderLines(headers, 'VIA')).toHaveLength(1);
});

test('folded lines are one value', () => {
  const { headers } = accepted(bytesOf([...INVITE_LINES, 'Subject: I know', '\t you are', '  there']));
  expect(getHeader(headers, 's')).toBe('I know you are there');
});

test('a body longer than Content-Length is cut, a shorter one is a fault', () => {
  const lines = [...INVITE_LINES, 'Content-Length: 3'];
  expect(accepted(bytesOf(lines, 'abcdef')).body).toEqual(new TextEncoder().encode('abc'));
  expect(faultOf(bytesOf(lines, 'ab'))).toBe('body shorter than Content-Length');
});

test('the body is no view on the receive buffer', () => {
  const bytes = bytesOf(INVITE_LINES, 'abc');
  const message = accepted(bytes);
  bytes.fill(0);
  expect(message.body).toEqual(new TextEncoder().encode('abc'));
});

test.each(['Via', 'To', 'From', 'Call-ID', 'CSeq'])('a request without %s is refused', (name) => {
  expect(faultOf(bytesOf(inviteWith(name)))).toBe(`no ${name}`);
});

test.each(['To', 'From', 'Call-ID', 'CSeq', 'Max-Forwards'])('a second %s is refused', (name) => {
  const line = INVITE_LINES.find((candidate) => candidate.startsWith(`${name}:`)) ?? '';
  expect(faultOf(bytesOf([...INVITE_LINES, line]))).toBe(`more than one ${name}`);
});

test.each([
  ['CSeq', 'CSeq: 314159 BYE', 'CSeq names another method'],
  ['CSeq', 'CSeq: 2147483648 INVITE', 'malformed CSeq'],
  ['CSeq', 'CSeq: INVITE', 'malformed CSeq'],
  ['Max-Forwards', 'Max-Forwards: 256', 'malformed Max-Forwards'],
  ['Max-Forwards', 'Max-Forwards: -1', 'malformed Max-Forwards'],
  ['Via', 'Via: SIP/2.0/UDP', 'malformed Via'],
  ['Via', 'Via: SIP/2.0/UDP 192.0.2.1;;', 'malformed Via'],
  ['Via', 'Via: HTTP/1.1/TCP 192.0.2.1', 'malformed Via'],
  ['To', 'To: "open <sip:a@b>', 'malformed To'],
  ['From', 'From: <sip:a@b', 'malformed From'],
  ['Contact', 'Contact: <sip:a@b:99999>', 'malformed Contact'],
  ['Contact', 'Contact: *, <sip:a@b>', 'malformed Contact'],
  ['Call-ID', 'Call-ID: two words', 'malformed Call-ID'],
  ['Call-ID', 'Call-ID: a|b', 'malformed Call-ID'],
  ['From', 'From: <sip:a@b>;tag=x|y', 'malformed From'],
  ['From', 'From: <sip:a@b>;tag="x|y"', 'malformed From'],
  ['To', 'To: <sip:a@b>;tag', 'malformed To'],
  ['Contact', 'Content-Length: 1\r\nContent-Length: 1', 'more than one Content-Length'],
  ['Contact', 'Content-Length: 0x1', 'malformed Content-Length'],
  ['Contact', 'no colon here', 'a line that is no header'],
  ['Contact', 'bad name: x', 'a line that is no header'],
  ['Contact', 'X-A: a\nVia: b', 'a control character'],
  ['Contact', 'X-A: a\rb', 'a control character'],
  ['Contact', 'X-A: a\0b', 'a control character'],
  ['Contact', `X-A: ${'a'.repeat(20_000)}`, 'a line longer than 16384 characters'],
])('in place of %s, %j is refused', (name, line, fault) => {
  expect(faultOf(bytesOf(inviteWith(name, line)))).toBe(fault);
});

test.each([
  'INVITE  sip:a@b SIP/2.0',
  'INVITE sip:a@b SIP/2.0 ',
  'INVITE sip:a@b',
  'INV ITE sip:a@b SIP/2.0',
  'SIP/2.0 2000 OK',
  '',
])('the start line %j is refused', (line) => {
  expect(parseMessage(bytesOf([line, ...INVITE_LINES.slice(1)]))).toMatchObject({ ok: false });
});

test('a Request-URI that is malformed or carries headers is refused', () => {
  const invite = (uri: string) => bytesOf([`INVITE ${uri} SIP/2.0`, ...INVITE_LINES.slice(1)]);
  expect(faultOf(invite('<sip:a@b>'))).toBe('malformed Request-URI');
  expect(faultOf(invite('sip:a@'))).toBe('malformed Request-URI');
  expect(faultOf(invite('sip:a@b?Route=%3Csip:c%3E'))).toBe('a Request-URI with headers');
});

test('sizes and counts have a bound', () => {
  expect(faultOf(new Uint8Array(MESSAGE_BYTES_MAX + 1))).toBe(`more than ${MESSAGE_BYTES_MAX} bytes`);
  const many = Array.from({ length: HEADER_COUNT_MAX }, (_, index) => `X-${index}: y`);
  expect(faultOf(bytesOf([...INVITE_LINES, ...many]))).toBe(`more than ${HEADER_COUNT_MAX} headers`);
});

test('a faulty request keeps what its answer copies, and only that', () => {
  const parsed = parseMessage(bytesOf([...inviteWith('Contact'), 'Max-Forwards: 7']));
  expect(parsed).toMatchObject({ ok: false, partial: { status: 400, method: 'INVITE' } });
  const names = parsed.ok ? [] : parsed.partial?.headers.map((header) => header.name);
  expect(names).toEqual(['Via', 'From', 'To', 'Call-ID', 'CSeq']);
});

test('a faulty request of another version is to be answered 505', () => {
  const bytes = bytesOf(['OPTIONS sip:a@b SIP/3.0', ...inviteWith('CSeq', 'CSeq: 1 OPTIONS').slice(1)]);
  expect(parseMessage(bytes)).toMatchObject({ ok: false, partial: { status: 505, method: 'OPTIONS' } });
});

test('a faulty ACK, a faulty response and a request with a broken top Via are not to be answered', () => {
  const faulty = [...inviteWith('CSeq', 'CSeq: 1 ACK').slice(1), 'X-A: a\0'];
  expect(parseMessage(bytesOf(['ACK sip:a@b SIP/2.0', ...faulty]))).not.toHaveProperty('partial');
  expect(parseMessage(bytesOf(['SIP/2.0 200 OK', ...faulty]))).not.toHaveProperty('partial');
  expect(parseMessage(bytesOf(inviteWith('Via', 'Via: ;;,')))).not.toHaveProperty('partial');
});

test('names beyond ASCII come through, also where an old exchange writes them in Latin-1', () => {
  const text = bytesOf(inviteWith('From', 'From: "M\u00fcller" <sip:a@b>;tag=1'));
  expect(getHeader(accepted(text).headers, 'From')).toContain('M\u00fcller');
  const latin1 = Buffer.from(new TextDecoder().decode(text), 'latin1');
  expect(getHeader(accepted(latin1).headers, 'From')).toContain('M\u00fcller');
});

test('random bytes never throw', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => typeof parseMessage(bytes).ok === 'boolean'));
});

test('a mutated message never throws, and what is accepted holds what a message must have', () => {
  const base = bytesOf([...INVITE_LINES, 'Content-Length: 3'], 'abc');
  const change = fc.tuple(fc.nat({ max: base.length - 1 }), fc.nat({ max: 255 }));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), fc.nat({ max: base.length }), (changes, keep) => {
      const bytes = base.slice(0, keep === 0 ? base.length : keep);
      for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
      const parsed = parseMessage(bytes);
      if (parsed.ok) {
        for (const name of ['Via', 'To', 'From', 'Call-ID', 'CSeq']) {
          expect(getHeader(parsed.message.headers, name)).not.toBeNull();
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['blanks', ' '],
  ['commas', ','],
  ['semicolons', ';'],
  ['quotes', '"'],
  ['backslashes', '\\'],
  ['brackets', '<'],
  ['colons', ':'],
  ['digits', '1'],
  ['folds', '\r\n '],
])('parses a message stuffed with %s in linear time', (_, filler) => {
  const stuffing = filler.repeat(Math.floor(15_000 / filler.length));
  const starts = ['Via: SIP/2.0/UDP a', 'To: tel:+', 'To: "', 'From: <sip:', 'Contact: <sip:a@b>', 'X-A: ', 'CSeq: 1'];
  const parsing = cpuMs(() => {
    for (const start of starts) {
      for (const end of ['\u0001', '!']) {
        parseMessage(bytesOf(inviteWith(start.split(':')[0] ?? '', `${start}${stuffing}${end}`)));
      }
    }
  });
  // Quadratic parsing takes tens of seconds here, linear parsing a few milliseconds.
  expect(parsing).toBeLessThan(2_000);
});
