import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableLines } from '../../../base/text/printable.ts';

describe('printable', () => {
  it('escapes line breaks, C0, C1, bidirectional marks, separators and lone surrogates', () => {
    expect(printable('a\u001b]0;b\u0007\r\n\u009b1m\u202egnp.exe\u2028\ud800')).toBe(
      'a\\u001b]0;b\\u0007\\u000d\\u000a\\u009b1m\\u202egnp.exe\\u2028\\ud800',
    );
    expect(printable('\u{e0041}')).toBe('\\udb40\\udc41');
  });

  it('keeps text in any script, and the joiners of emoji and Persian', () => {
    const text = 'नमस्ते 👨‍👩‍👧 مرحبا می‌خواهم «ça»';
    expect(printable(text)).toBe(text);
  });

  it('does not change the value of JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(printable(JSON.stringify({ text })))).toEqual({ text });
      }),
    );
  });

  it('keeps the line breaks of lines alone', () => {
    expect(printableLines('a\r\n\u001bb')).toBe('a\\u000d\n\\u001bb');
  });
});
