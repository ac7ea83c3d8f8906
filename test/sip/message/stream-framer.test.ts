import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MESSAGE_BYTES_MAX, parseMessage } from '../../../sip/message/parse-message.ts';
import { type StreamEvent, StreamFramer } from '../../../sip/message/stream-framer.ts';
import { cpuMs } from '../../cpu-time.ts';
import { bytesOf, INVITE_LINES } from './sample-messages.ts';

const encoder = new TextEncoder();
const withBody = (body: string) => bytesOf([...INVITE_LINES, `Content-Length: ${encoder.encode(body).length}`], body);

function pushAll(chunks: readonly Uint8Array[]): StreamEvent[] {
  const framer = new StreamFramer();
  return chunks.flatMap((chunk) => framer.push(chunk));
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

it('emits the same messages and pings for every division of the stream', () => {
  const part = fc.oneof(
    fc.string({ maxLength: 30 }).map((body) => ({ bytes: withBody(body), type: 'message' })),
    fc.constant({ bytes: encoder.encode('\r\n\r\n'), type: 'ping' }),
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 5 }),
      fc.array(fc.nat({ max: 2_000 }), { maxLength: 10 }),
      (parts, cuts) => {
        const stream = concat(parts.map(({ bytes }) => bytes));
        const places = [0, ...cuts.filter((cut) => cut < stream.length).sort((a, b) => a - b), stream.length];
        const events = pushAll(places.slice(1).map((end, index) => stream.subarray(places[index], end)));
        expect(events).toEqual(parts.map(({ bytes, type }) => (type === 'ping' ? { type } : { type, bytes })));
      },
    ),
  );
});

it('skips a single CRLF between messages', () => {
  const [first, second] = pushAll([
    concat([encoder.encode('\r\n'), withBody('a'), encoder.encode('\r\n'), withBody('')]),
  ]);
  expect(first).toEqual({ type: 'message', bytes: withBody('a') });
  expect(second).toEqual({ type: 'message', bytes: withBody('') });
});

it('continues after a malformed message with a valid Content-Length', () => {
  const broken = bytesOf(['NONSENSE', 'Content-Length: 0']);
  const [first, second] = pushAll([concat([broken, withBody('')])]);
  expect(first?.type === 'message' && parseMessage(first.bytes).ok).toBe(false);
  expect(second?.type === 'message' && parseMessage(second.bytes).ok).toBe(true);
});

it.each([
  ['no Content-Length', bytesOf(INVITE_LINES)],
  ['malformed Content-Length', bytesOf([...INVITE_LINES, 'Content-Length: -1'])],
  ['more than one Content-Length', bytesOf([...INVITE_LINES, 'Content-Length: 0', 'l: 0'])],
  [`more than ${MESSAGE_BYTES_MAX} bytes`, bytesOf([...INVITE_LINES, `Content-Length: ${MESSAGE_BYTES_MAX}`])],
  [`more than ${MESSAGE_BYTES_MAX} bytes`, encoder.encode('a'.repeat(200_000))],
])('ends the stream with the single fault «%s»', (fault, bytes) => {
  expect(pushAll([bytes, withBody('a'), bytes])).toEqual([{ type: 'fault', fault }]);
});

it('emits the messages before a fault', () => {
  const events = pushAll([concat([withBody('a'), bytesOf(INVITE_LINES)])]);
  expect(events.map((event) => event.type)).toEqual(['message', 'fault']);
});

it('never throws for random bytes', () => {
  fc.assert(fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (chunks) => Array.isArray(pushAll(chunks))));
});

it('frames a message of 60 KB, received byte by byte, in less than 2 s of CPU', () => {
  const bytes = withBody('b'.repeat(60_000));
  const framing = cpuMs(() => {
    expect(pushAll(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toHaveLength(1);
  });
  expect(framing).toBeLessThan(2_000);
});
