import fc from 'fast-check';
import { parseChallenges } from '../../sip/authentication/digest-challenge.ts';
import { DigestServer } from '../../sip/authentication/digest-server.ts';
import { parseCSeq } from '../../sip/message/cseq.ts';
import { getHeader, getListValues } from '../../sip/message/headers.ts';
import { parseAddressList, parseNameAddress, tagOf } from '../../sip/message/name-address.ts';
import { MESSAGE_BYTES_MAX, parseMessage } from '../../sip/message/parse-message.ts';
import { serializeMessage, UnserializableMessage } from '../../sip/message/serialize-message.ts';
import type { SipMessage } from '../../sip/message/sip-message.ts';
import { type StreamEvent, StreamFramer } from '../../sip/message/stream-framer.ts';
import { parseUri } from '../../sip/message/uri.ts';
import { parseVia, parseVias } from '../../sip/message/via.ts';
import { previewMessage } from '../../sip/source-filter/message-preview.ts';
import { targetOf } from '../../sip/transport/resolve-target.ts';
import { responseHops, stampVia } from '../../sip/transport/response-routing.ts';
import { mutated } from './mutation.ts';
import { MESSAGE_SEEDS } from './seeds.ts';
import { must, type Subject, subject } from './subject.ts';

const ORIGIN = {
  transport: 'udp',
  address: '192.0.2.1',
  port: 5060,
  localAddress: '192.0.2.2',
  localPort: 5060,
} as const;
const HEADERS = ['Via', 'From', 'To', 'Contact', 'Route', 'CSeq', 'Call-ID', 'Content-Length', 'Date', 'Max-Forwards'];

export function sipSubjects(extraSeeds: readonly Uint8Array[]): readonly Subject[] {
  const seeds = [...MESSAGE_SEEDS, ...extraSeeds];
  return [
    subject('SIP messages', mutated(seeds), readWhole),
    subject('SIP headers', headerLines(), readWhole),
    subject('SIP values', pieces(), readValue),
    subject('SIP streams', streams(seeds), frameBothWays),
  ];
}

/** Known header lines, with values composed of pieces of the grammar. */
function headerLines(): fc.Arbitrary<Uint8Array> {
  const line = fc.tuple(fc.constantFrom(...HEADERS), pieces()).map(([name, value]) => `${name}: ${value}`);
  return fc.array(line, { maxLength: 8 }).map((lines) => {
    const rest = ['INVITE sip:a@b SIP/2.0', 'Via: SIP/2.0/UDP a', 'From: <sip:a>;tag=1', 'To: <sip:b>', 'Call-ID: c'];
    return new TextEncoder().encode(`${[...rest, 'CSeq: 1 INVITE', ...lines].join('\r\n')}\r\n\r\n`);
  });
}

function pieces(): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.constantFrom(
      'sip:',
      'sips:',
      'tel:+1',
      '<',
      '>',
      '"',
      '\\',
      ';',
      ',',
      ':',
      '@',
      '=',
      '?',
      '&',
      '%',
      '%41',
      '%zz',
      ' ',
      '\r\n ',
    ),
    fc.constantFrom(
      '[::1]',
      '192.0.2.1',
      'a.example',
      'transport=tcp',
      'lr',
      'tag=',
      'branch=z9hG4bK',
      'received=',
      'rport',
      'ttl=0',
    ),
    fc.constantFrom('SIP/2.0/UDP ', 'Digest ', 'realm="', 'nonce=', '1', '65536', 'INVITE', '*', '(', ')', 'maddr='),
    fc.string({ maxLength: 5, unit: 'binary' }),
  );
  return fc.array(piece, { maxLength: 24 }).map((list) => list.join(''));
}

/** A parsed message can be read by every later stage, and serialises to itself. */
function readWhole(bytes: Uint8Array): void {
  previewMessage(bytes);
  const parsed = parseMessage(bytes);
  if (!parsed.ok) {
    must(parsed.fault !== '', 'a rejection without a reason');
    if (parsed.partial !== undefined) responseHops(stampVia(parsed.partial.headers, ORIGIN), ORIGIN);
    return;
  }
  const { message } = parsed;
  for (const name of ['Via', 'From', 'To', 'Call-ID', 'CSeq'])
    must(getHeader(message.headers, name) !== null, `no ${name}`);
  must(parseVias(message.headers) !== null, 'a Via that cannot be parsed');
  must(parseCSeq(getHeader(message.headers, 'CSeq') ?? '') !== null, 'a CSeq that cannot be parsed');
  for (const name of HEADERS) for (const value of getListValues(message.headers, name)) readValue(value);
  if (message.kind === 'request') responseHops(stampVia(message.headers, ORIGIN), ORIGIN);
  checkRoundTrip(message);
}

function checkRoundTrip(message: SipMessage): void {
  let bytes: Uint8Array;
  try {
    bytes = serializeMessage(message);
  } catch (error) {
    must(error instanceof UnserializableMessage, `${error}`);
    return;
  }
  const again = parseMessage(bytes);
  if (bytes.length > MESSAGE_BYTES_MAX) return;
  must(again.ok, `the serialised message cannot be parsed: ${again.ok ? '' : again.fault}`);
  if (!again.ok) return;
  must(again.message.kind === message.kind, 'the kind of message changed');
  must(Buffer.compare(again.message.body, message.body) === 0, 'the body changed');
  for (const name of ['From', 'To', 'Call-ID', 'CSeq'])
    must(getHeader(again.message.headers, name) === getHeader(message.headers, name), `${name} changed`);
}

function readValue(value: string): void {
  parseVia(value);
  tagOf(value);
  const address = parseNameAddress(value);
  parseUri(address?.uri ?? value);
  targetOf(address?.uri ?? value);
  parseAddressList([{ name: 'Route', value }], 'Route');
  parseChallenges([value]);
  const server = new DigestServer('realm', () => 0);
  const verdict = server.check({ method: 'INVITE', uri: 'sip:a', authorization: value }, [
    { username: 'a', password: 'b' },
  ]);
  must(verdict !== 'valid', 'random credentials were accepted');
}

interface Chunked {
  readonly bytes: Uint8Array;
  /** Lengths of the chunks, repeated. */
  readonly cuts: readonly number[];
}

function streams(seeds: readonly Uint8Array[]): fc.Arbitrary<Chunked> {
  const between = fc.constantFrom('', '\r\n', '\r\n\r\n', '\n', '\0').map((text) => new TextEncoder().encode(text));
  const part = fc.oneof(fc.constantFrom(...seeds), mutated(seeds), between);
  return fc.record({
    bytes: fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => new Uint8Array(Buffer.concat(parts))),
    cuts: fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 6 }),
  });
}

/** Any chunking of a stream yields the same messages, and nothing after a fault. */
function frameBothWays({ bytes, cuts }: Chunked): void {
  const whole = new StreamFramer().push(bytes);
  const framer = new StreamFramer();
  const pieces: StreamEvent[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = cuts[turn % cuts.length] ?? 1;
    pieces.push(...framer.push(bytes.subarray(at, at + length)));
    at += length;
  }
  must(
    describe(pieces) === describe(whole),
    `other chunks, other messages: ${describe(pieces)} for ${describe(whole)}`,
  );
  const fault = whole.findIndex(({ type }) => type === 'fault');
  must(fault === -1 || fault === whole.length - 1, 'an event after a fault');
  for (const event of whole) if (event.type === 'message') parseMessage(event.bytes);
}

function describe(events: readonly StreamEvent[]): string {
  return events
    .map((event) => (event.type === 'message' ? Buffer.from(event.bytes).toString('base64') : JSON.stringify(event)))
    .join(' ');
}
