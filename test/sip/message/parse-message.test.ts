import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HEADER_COUNT_MAX } from '../../../sip/message/header-section.ts';
import { getHeader, getHeaderLines } from '../../../sip/message/headers.ts';
import { MESSAGE_BYTES_MAX, parseMessage } from '../../../sip/message/parse-message.ts';
import type { SipMessage } from '../../../sip/message/sip-message.ts';
import { cpuMs } from '../../cpu-time.ts';
import { bytesOf, INVITE_LINES, inviteWith } from './sample-messages.ts';

function messageOf(bytes: Uint8Array): SipMessage {
  const result = parseMessage(bytes);
  if (!result.ok) throw new Error(`refused: ${result.fault}`);
  return result.message;
}

function faultOf(bytes: Uint8Array): string {
  const parsed = parseMessage(bytes);
  return parsed.ok ? 'none' : parsed.fault;
}

it('parses a request', () => {
  const message = messageOf(bytesOf(INVITE_LINES, 'v=0\r\n'));
  expect(message).toMatchObject({ kind: 'request', method: 'INVITE', uri: 'sip:agent@192.0.2.10' });
  expect(message.headers).toHaveLength(7);
  expect(new TextDecoder().decode(message.body)).toBe('v=0\r\n');
});

it('parses a response with and without a reason', () => {
  const rest = INVITE_LINES.slice(1);
  expect(messageOf(bytesOf(['SIP/2.0 180 Ringing', ...rest]))).toMatchObject({ status: 180, reason: 'Ringing' });
  expect(messageOf(bytesOf(['SIP/2.0 200 ', ...rest]))).toMatchObject({ status: 200, reason: '' });
  expect(messageOf(bytesOf(['SIP/2.0 200', ...rest]))).toMatchObject({ status: 200, reason: '' });
  expect(faultOf(bytesOf(['SIP/2.0 99 x', ...rest]))).toBe('malformed start line');
  expect(faultOf(bytesOf(['SIP/2.0 700 x', ...rest]))).toBe('malformed start line');
});

it('skips CRLFs before the start line', () => {
  expect(messageOf(bytesOf(['', '', ...INVITE_LINES]))).toMatchObject({ method: 'INVITE' });
});

it('finds a header by its compact name, in any case, with blanks before the colon', () => {
  const lines = inviteWith('Call-ID', 'I \t:\t short@x').map((line) => line.replace('Via:', 'v :'));
  const { headers } = messageOf(bytesOf(lines));
  expect(getHeader(headers, 'call-id')).toBe('short@x');
  expect(getHeaderLines(headers, 'VIA')).toHaveLength(1);
});

it('joins folded lines into one value', () => {
  const { headers } = messageOf(bytesOf([...INVITE_LINES, 'Subject: I know', '\t you are', '  there']));
  expect(getHeader(headers, 's')).toBe('I know you are there');
});

it('cuts a body after Content-Length, and refuses a shorter one', () => {
  const lines = [...INVITE_LINES, 'Content-Length: 3'];
  expect(messageOf(bytesOf(lines, 'abcdef')).body).toEqual(new TextEncoder().encode('abc'));
  expect(faultOf(bytesOf(lines, 'ab'))).toBe('body shorter than Content-Length');
});

it('copies the body out of the receive buffer', () => {
  const bytes = bytesOf(INVITE_LINES, 'abc');
  const message = messageOf(bytes);
  bytes.fill(0);
  expect(message.body).toEqual(new TextEncoder().encode('abc'));
});

it.each(['Via', 'To', 'From', 'Call-ID', 'CSeq'])('refuses a request without %s', (name) => {
  expect(faultOf(bytesOf(inviteWith(name)))).toBe(`no ${name}`);
});

it.each(['To', 'From', 'Call-ID', 'CSeq', 'Max-Forwards'])('refuses a second %s', (name) => {
  const line = INVITE_LINES.find((candidate) => candidate.startsWith(`${name}:`)) ?? '';
  expect(faultOf(bytesOf([...INVITE_LINES, line]))).toBe(`more than one ${name}`);
});

it.each([
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
  ['Call-ID', 'Call-ID: \u00e9@host', 'malformed Call-ID'],
  ['From', 'From: <sip:a@b>;tag=\u00e9', 'malformed From'],
  ['From', 'From: <sip:a@b>;tag=x|y', 'malformed From'],
  ['From', 'From: <sip:a@b>;tag="x|y"', 'malformed From'],
  ['To', 'To: <sip:a@b>;tag', 'malformed To'],
  ['Contact', 'Content-Length: 1\r\nContent-Length: 1', 'more than one Content-Length'],
  ['Contact', 'Content-Length: 0x1', 'malformed Content-Length'],
  ['Contact', 'no colon here', 'a line that is not a header'],
  ['Contact', 'bad name: x', 'a line that is not a header'],
  ['Contact', 'X-A: a\nVia: b', 'a control character'],
  ['Contact', 'X-A: a\rb', 'a control character'],
  ['Contact', 'X-A: a\0b', 'a control character'],
  ['Contact', 'X-A: \\\u001b', 'a control character'],
  ['Contact', 'X-A: "a" \\\u001b "b"', 'a control character'],
  ['Contact', 'X-A: "open \\\u001b', 'a control character'],
  ['Contact', 'X-A: "\u001b"', 'a control character'],
  ['Contact', 'X-A: "\\\r"', 'a control character'],
  ['Contact', 'X-A: \u009b1m', 'a control character'],
  ['Contact', 'X-A: "\\\u009b1m"', 'a control character'],
  ['Call-ID', 'Call-ID: a"\\\u001b"', 'malformed Call-ID'],
  ['Contact', `X-A: ${'a'.repeat(20_000)}`, 'a line longer than 16384 characters'],
])('with the %s line replaced, refuses %j', (name, line, fault) => {
  expect(faultOf(bytesOf(inviteWith(name, line)))).toBe(fault);
});

it.each([
  'INVITE  sip:a@b SIP/2.0',
  'INVITE sip:a@b SIP/2.0 ',
  'INVITE sip:a@b',
  'INV ITE sip:a@b SIP/2.0',
  'SIP/2.0 2000 OK',
  '',
])('refuses the start line %j', (line) => {
  expect(parseMessage(bytesOf([line, ...INVITE_LINES.slice(1)]))).toMatchObject({ ok: false });
});

it('refuses a Request-URI that is malformed or contains headers', () => {
  const invite = (uri: string) => bytesOf([`INVITE ${uri} SIP/2.0`, ...INVITE_LINES.slice(1)]);
  expect(faultOf(invite('<sip:a@b>'))).toBe('malformed Request-URI');
  expect(faultOf(invite('sip:a@'))).toBe('malformed Request-URI');
  expect(faultOf(invite('sip:a@b?Route=%3Csip:c%3E'))).toBe('a Request-URI with headers');
});

it('bounds the size of a message and the number of headers', () => {
  expect(faultOf(new Uint8Array(MESSAGE_BYTES_MAX + 1))).toBe(`more than ${MESSAGE_BYTES_MAX} bytes`);
  const many = Array.from({ length: HEADER_COUNT_MAX }, (_, index) => `X-${index}: y`);
  expect(faultOf(bytesOf([...INVITE_LINES, ...many]))).toBe(`more than ${HEADER_COUNT_MAX} headers`);
});

it('keeps exactly the headers of a faulty request that its response copies', () => {
  const parsed = parseMessage(bytesOf([...inviteWith('Contact'), 'Max-Forwards: 7']));
  expect(parsed).toMatchObject({ ok: false, partial: { status: 400, method: 'INVITE' } });
  const names = parsed.ok ? [] : parsed.partial?.headers.map((header) => header.name);
  expect(names).toEqual(['Via', 'From', 'To', 'Call-ID', 'CSeq']);
});

it('gives a request of another version the status 505', () => {
  const bytes = bytesOf(['OPTIONS sip:a@b SIP/3.0', ...inviteWith('CSeq', 'CSeq: 1 OPTIONS').slice(1)]);
  expect(parseMessage(bytes)).toMatchObject({ ok: false, partial: { status: 505, method: 'OPTIONS' } });
});

it('allows no response to a faulty ACK, a faulty response, or a request with a malformed top Via', () => {
  const faulty = [...inviteWith('CSeq', 'CSeq: 1 ACK').slice(1), 'X-A: a\0'];
  expect(parseMessage(bytesOf(['ACK sip:a@b SIP/2.0', ...faulty]))).not.toHaveProperty('partial');
  expect(parseMessage(bytesOf(['SIP/2.0 200 OK', ...faulty]))).not.toHaveProperty('partial');
  expect(parseMessage(bytesOf(inviteWith('Via', 'Via: ;;,')))).not.toHaveProperty('partial');
});

it('reads display names beyond ASCII, in UTF-8 and in Latin-1', () => {
  const text = bytesOf(inviteWith('From', 'From: "M\u00fcller" <sip:a@b>;tag=1'));
  expect(getHeader(messageOf(text).headers, 'From')).toContain('M\u00fcller');
  const latin1 = Buffer.from(new TextDecoder().decode(text), 'latin1');
  expect(getHeader(messageOf(latin1).headers, 'From')).toContain('M\u00fcller');
});

it('accepts a control character as a quoted pair in a quoted string alone', () => {
  const from = 'From: "BEL:\\\u0007 \\"DEL:\\\u007f" <sip:a@b>;tag=1';
  expect(getHeader(messageOf(bytesOf(inviteWith('From', from))).headers, 'From')).toBe(from.slice('From: '.length));
  const response = (reason: string) => bytesOf([`SIP/2.0 486 ${reason}`, ...INVITE_LINES.slice(1)]);
  expect(messageOf(response('Busy "\tHere')).kind).toBe('response');
  for (const reason of ['\\\u001b]0;a\\\u0007', '"\\\u001b"', '\u009b']) {
    expect(faultOf(response(reason))).toBe('a control character');
  }
});

it('never throws for random bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => typeof parseMessage(bytes).ok === 'boolean'));
});

it('never throws for a mutated message, and accepts none without the mandatory headers', () => {
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

it.each([
  ['blanks', ' '],
  ['commas', ','],
  ['semicolons', ';'],
  ['quotes', '"'],
  ['backslashes', '\\'],
  ['brackets', '<'],
  ['colons', ':'],
  ['digits', '1'],
  ['folds', '\r\n '],
])('parses a message with 15 KB of %s in linear time', (_, filler) => {
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
