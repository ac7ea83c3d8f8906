import { describe, expect, it } from 'vitest';
import { StreamReportedError } from '../../../adapters/official-sdk/reported-error.ts';
import { readEvents } from '../../../adapters/streamed-model/response-events.ts';

/** A response whose body comes in these pieces. `onCancel`: the rest is not read. */
function responseOf(pieces: readonly Uint8Array[], onCancel = () => {}, isOpen = false): Response {
  return new Response(
    new ReadableStream({
      start(body) {
        for (const piece of pieces) body.enqueue(piece);
        if (!isOpen) body.close();
      },
      cancel: onCancel,
    }),
  );
}

const bytes = (text: string) => new TextEncoder().encode(text);

async function read(response: Response): Promise<readonly unknown[]> {
  const events: unknown[] = [];
  await readEvents(response, (event) => events.push(event));
  return events;
}

describe('the events of a response', () => {
  it('are the JSON of its data, also with a character cut in two', async () => {
    const whole = bytes('data: {"a":"grün"}\n\ndata: {"b":1}\n\n');
    for (let cut = 0; cut <= whole.length; cut++) {
      expect(await read(responseOf([whole.slice(0, cut), whole.slice(cut)]))).toEqual([{ a: 'grün' }, { b: 1 }]);
    }
  });

  it('end with [DONE], and the rest of the response is not read', async () => {
    let cancelled = 0;
    const text = bytes('data: {"a":1}\n\ndata: [DONE]\n\ndata: {"b":1}\n\n');
    const events = await read(responseOf([text], () => cancelled++, true));
    expect({ events, cancelled }).toEqual({ events: [{ a: 1 }], cancelled: 1 });
  });

  it('do not include a ping', async () => {
    const text = 'event: ping\ndata: {"type":"ping"}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n';
    expect(await read(responseOf([bytes(text)]))).toEqual([{ type: 'message_stop' }]);
  });

  it.each([
    ['an event with the name error', 'event: error\ndata: {"code":"x"}\n\n', { code: 'x' }],
    ['its error, in an event with that name', 'event: error\ndata: {"error":{"code":"x"}}\n\n', { code: 'x' }],
    ['an error in any event', 'data: {"error":"overloaded"}\n\n', 'overloaded'],
  ])('stop with the error of the provider: %s', async (_, text, error) => {
    const events: unknown[] = [];
    const reading = readEvents(responseOf([bytes(`data: {"a":1,"error":null}\n\n${text}`)]), (event) =>
      events.push(event),
    );
    await expect(reading).rejects.toThrow(StreamReportedError);
    await expect(reading).rejects.toMatchObject({ error });
    expect(events).toEqual([{ a: 1, error: null }]);
  });

  it('stop with an event that is not JSON', async () => {
    await expect(read(responseOf([bytes('data: <html>\n\n')]))).rejects.toThrow(SyntaxError);
  });

  it('are none of a response without a body', async () => {
    expect(await read(new Response(null))).toEqual([]);
  });
});
