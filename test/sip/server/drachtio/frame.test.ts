import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../../../sip/server/drachtio/command.ts';
import { encodeFrame, FrameDecoder } from '../../../../sip/server/drachtio/frame.ts';

const BYTES_MAX = 100_000;

/** Splits `bytes` into pieces of at most `size`. */
function pieces(bytes: Buffer, size: number): Buffer[] {
  const result: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) result.push(bytes.subarray(at, at + size));
  return result;
}

describe('FrameDecoder', () => {
  it('decodes encoded frames from any division of the stream', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), fc.integer({ min: 1, max: 40 }), (payloads, size) => {
        const decoder = new FrameDecoder();
        const bytes = Buffer.concat(payloads.map(encodeFrame));
        const events = pieces(bytes, size).flatMap((piece) => decoder.push(piece, BYTES_MAX));
        expect(events).toEqual(
          payloads.map((payload) => ({ type: 'frame', payload: Buffer.from(payload).toString() })),
        );
      }),
    );
  });

  it('emits at most one fault for any bytes, as the last event', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 10 }), (chunks) => {
        const decoder = new FrameDecoder();
        const events = chunks.flatMap((chunk) => decoder.push(chunk, BYTES_MAX));
        expect(events.slice(0, -1).every(({ type }) => type === 'frame')).toBe(true);
      }),
    );
  });

  it('reports a frame over the bound before its payload arrives', () => {
    expect(new FrameDecoder().push(Buffer.from('101#'), 100)).toEqual([
      { type: 'fault', fault: 'longer than 100 bytes' },
    ]);
  });

  it('reports a length with too many digits', () => {
    expect(new FrameDecoder().push(Buffer.from('11111111'), BYTES_MAX)).toMatchObject([{ type: 'fault' }]);
  });
});

describe('parseCommand', () => {
  it('never throws', () => {
    const leader = fc.constantFrom('id|sip||', 'id|sip|t|d', 'id|', '|', 'id|route|', 'id|authenticate|');
    const line = fc.constantFrom(
      'INVITE sip:a@b SIP/2.0',
      'SIP/2.0 200 OK',
      'To: <sip:a>',
      'content-length: 0',
      '',
      ':',
      'a:b',
    );
    fc.assert(
      fc.property(leader, fc.array(fc.oneof(line, fc.string()), { maxLength: 6 }), (start, lines) => {
        const command = parseCommand(`${start}${['', ...lines].join('\r\n')}`);
        expect(command === null || typeof command.type === 'string').toBe(true);
      }),
    );
  });
});
