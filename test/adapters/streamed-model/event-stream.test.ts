import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStreamParser, type ServerSentEvent } from '../../../adapters/streamed-model/event-stream.ts';

function eventsOf(pieces: readonly string[]): readonly ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const parser = new EventStreamParser((event) => events.push(event));
  for (const piece of pieces) parser.push(piece);
  parser.end();
  return events;
}

const unnamed = (...data: readonly string[]) => data.map((one) => ({ name: '', data: one }));

describe('the events of a stream', () => {
  it.each([
    ['data and an empty line', 'data: a\n\ndata: b\n\n', unnamed('a', 'b')],
    ['data without a blank', 'data:a\n\n', unnamed('a')],
    ['data with two blanks', 'data:  a\n\n', unnamed(' a')],
    ['data with colons', 'data: a: b:c\n\n', unnamed('a: b:c')],
    ['several lines of data', 'data: a\ndata: b\n\n', unnamed('a\nb')],
    ['empty data', 'data\n\ndata:\n\n', unnamed('', '')],
    ['a name', 'event: x\ndata: a\n\ndata: b\n\n', [{ name: 'x', data: 'a' }, ...unnamed('b')]],
    ['a name without data', 'event: x\n\ndata: b\n\n', unnamed('b')],
    ['comments and other fields', ': hi\nid: 1\nretry: 5\ndata: a\n\n\n\n', unnamed('a')],
    ['lines that end with CR LF', 'event: x\r\ndata: a\r\n\r\n', [{ name: 'x', data: 'a' }]],
    ['lines that end with CR', 'data: a\rdata: b\r\rdata: c\r\r', unnamed('a\nb', 'c')],
    ['a byte order mark', '\ufeffdata: a\n\n', unnamed('a')],
    ['an end without the empty line', 'data: a\n\ndata: b', unnamed('a', 'b')],
  ])('are read from %s, in whatever pieces it comes', (_, text, expected) => {
    expect(eventsOf([text])).toEqual(expected);
    expect(eventsOf([...text])).toEqual(expected);
  });

  it('do not depend on the pieces, for any text', () => {
    const part = fc.constantFrom('data', 'event', ':', ' ', '\n', '\r', '\r\n', 'x', '\n\n', '');
    fc.assert(
      fc.property(fc.array(part), fc.array(fc.nat(80)), (parts, cuts) => {
        const text = parts.join('');
        const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, at) => text.slice(places[at], end));
        expect(eventsOf(pieces)).toEqual(eventsOf([text]));
      }),
    );
  });
});
