import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInfoDtmf } from '../../../sip/signalling/info-dtmf.ts';

describe('readInfoDtmf', () => {
  it.each([
    ['application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n', '5', 160],
    ['application/dtmf-relay', 'Signal= *\nDuration= 250', '*', 250],
    ['Application/DTMF-Relay; charset=utf-8', 'signal = a\r\nduration = 99\r\n', 'A', 99],
    ['application/dtmf-relay', 'Duration=300\r\nSignal=#\r\n', '#', 300],
    ['application/dtmf-relay', 'Signal=11\r\n', '#', 100],
    ['application/dtmf-relay', 'Signal=10\r\n', '*', 100],
    ['application/dtmf-relay', 'Signal=7\r\nDuration=999999\r\n', '7', 10_000],
    ['application/dtmf-relay', 'Signal=7\r\nDuration=never\r\n', '7', 100],
    ['application/dtmf', '0', '0', 100],
    ['application/dtmf', ' d \r\n', 'D', 100],
    ['application/dtmf', '12', 'A', 100],
  ])('reads %s «%s» as %s for %d ms', (type, body, digit, durationMs) => {
    expect(readInfoDtmf(type, body)).toEqual({ digit, durationMs });
  });

  it.each([
    ['application/dtmf-relay', ''],
    ['application/dtmf-relay', 'Signal=\r\nDuration=100\r\n'],
    ['application/dtmf-relay', 'Signal=55\r\n'],
    ['application/dtmf-relay', 'Signal=16\r\n'],
    ['application/dtmf-relay', 'XSignal=5\r\n'],
    ['application/dtmf', ''],
    ['application/dtmf', '123'],
    ['application/dtmf', '!'],
    ['text/plain', '5'],
    ['', '5'],
  ])('ignores %s «%s»', (type, body) => {
    expect(readInfoDtmf(type, body)).toBeNull();
  });

  it('returns one of the 16 DTMF digits or null for any body', () => {
    const type = fc.constantFrom('application/dtmf', 'application/dtmf-relay', 'x');
    fc.assert(
      fc.property(type, fc.string({ unit: 'binary', maxLength: 200 }), (contentType, body) => {
        const key = readInfoDtmf(contentType, body);
        if (key !== null) expect('0123456789*#ABCD').toContain(key.digit);
      }),
    );
  });
});
