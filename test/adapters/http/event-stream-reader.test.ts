import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EVENT_CHARACTERS_MAX,
  EventStreamReader,
  type ServerSentEvent,
} from '../../../adapters/http/event-stream-reader.ts';

function read(...chunks: readonly (string | Uint8Array)[]): { events: ServerSentEvent[]; isWithinBound: boolean } {
  const events: ServerSentEvent[] = [];
  const reader = new EventStreamReader((event) => events.push(event));
  const isWithinBound = chunks.every((chunk) => reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  return { events, isWithinBound };
}

const newline = fc.constantFrom('\n', '\r\n', '\r');
/** Any Unicode text without line endings. */
const text = fc.string({ unit: 'grapheme' }).map((value) => value.replace(/[\r\n]/g, ''));
const event = fc.record({
  type: fc.option(fc.stringMatching(/^[a-z._]{1,20}$/)),
  data: fc.array(text, { minLength: 1, maxLength: 4 }),
  comment: fc.option(text),
  hasSpace: fc.boolean(),
});
const stream = fc.record({
  events: fc.array(event, { maxLength: 8 }),
  newline,
  cuts: fc.array(fc.nat({ max: 4_000 }), { maxLength: 30 }),
  hasByteOrderMark: fc.boolean(),
});

describe('an event stream', () => {
  test('reads the same events for any chunk size and any line ending', () => {
    fc.assert(
      fc.property(stream, ({ events, newline, cuts, hasByteOrderMark }) => {
        const lines = events.flatMap(({ type, data, comment, hasSpace }) => [
          ...(comment === null ? [] : [`:${comment}`]),
          ...(type === null ? [] : [`event: ${type}`]),
          ...data.map((line) => (hasSpace || line.startsWith(' ') ? `data: ${line}` : `data:${line}`)),
          'id: 7',
          '',
        ]);
        const bytes = Buffer.from((hasByteOrderMark ? '\uFEFF' : '') + lines.map((line) => line + newline).join(''));
        const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b);
        const chunks = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
        const expected = events.map(({ type, data }) => ({ type: type ?? 'message', data: data.join('\n') }));
        expect(read(...chunks)).toEqual({ events: expected, isWithinBound: true });
        expect(read(...[...bytes].map((byte) => Uint8Array.of(byte))).events).toEqual(expected);
      }),
    );
  });

  test('never throws, and reads any bytes the same for any chunk size', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat({ max: 300 }), (bytes, cut) => {
        expect(read(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(read(bytes));
      }),
    );
  });

  test.each([
    ['an event that was cut off', 'data: a', []],
    ['an event without its blank line', 'data: a\n', []],
    ['only comments', ': ping\n\n: ping\n\n', []],
    ['a name without data', 'event: ping\n\ndata: x\n\n', [{ type: 'message', data: 'x' }]],
    ['data without a colon', 'data\n\n', [{ type: 'message', data: '' }]],
    ['a value that starts with two spaces: only one is removed', 'data:  a\n\n', [{ type: 'message', data: ' a' }]],
    ['unknown fields', 'retry: 1\nfoo: 2\ndata: a\n\n', [{ type: 'message', data: 'a' }]],
    ['a field that only begins like data', 'database: 1\n\n', []],
  ])('%s', (_name, input, events) => {
    expect(read(input)).toEqual({ events, isWithinBound: true });
  });

  test('does not depend on a chunk after it was read', () => {
    const events: string[] = [];
    const reader = new EventStreamReader(({ data }) => events.push(data));
    const chunk = Buffer.from('data: first');
    reader.push(chunk);
    chunk.fill(0);
    reader.push(Buffer.from('\n\n'));
    expect(events).toEqual(['first']);
  });

  test.each([
    ['a line in one chunk', [`data: ${'x'.repeat(EVENT_CHARACTERS_MAX)}\n\n`]],
    ['a line without an end', Array.from({ length: 20 }, () => 'x'.repeat(EVENT_CHARACTERS_MAX / 16))],
    ['an event of many lines', Array.from({ length: 20 }, () => `data: ${'x'.repeat(EVENT_CHARACTERS_MAX / 16)}\n`)],
  ])('reads nothing above its bound: %s', (_name, chunks) => {
    const { events, isWithinBound } = read(...chunks, '\n\ndata: later\n\n');
    expect(isWithinBound).toBe(false);
    expect(events).toEqual([]);
  });
});
