import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  idsOf,
  readTraceparent,
  storedTraceparent,
  toolContext,
  traceparent,
} from '../../../../src/observability/opentelemetry/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const hex = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
    .filter((id) => !/^0+$/.test(id));

describe('traceparent', () => {
  it('of the standard is read, also in a later version with more fields', () => {
    const sampled = { traceId: TRACE, spanId: SPAN, isSampled: true };
    expect(readTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual(sampled);
    expect(readTraceparent(` 00-${TRACE}-${SPAN}-00 `)).toEqual({ ...sampled, isSampled: false });
    expect(readTraceparent(`cc-${TRACE}-${SPAN}-03-more`)).toEqual(sampled);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['of another header', `b3-${TRACE}`],
    ['in capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['without a trace id', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['without a span id', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['of the forbidden version', `ff-${TRACE}-${SPAN}-01`],
    ['with more fields in version 00', `00-${TRACE}-${SPAN}-01-more`],
    ['sent twice', [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`]],
    ['with a line break', `00-${TRACE}-${SPAN}-01\r\nX-Evil: 1`],
  ])('%s is no context', (_, header) => {
    expect(readTraceparent(header)).toBeNull();
  });

  it('is read as it was written, and whatever is stored is valid', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, isSampled) => {
        const context = { traceId, spanId, isSampled };
        expect(readTraceparent(traceparent(context))).toEqual(context);
      }),
    );
    fc.assert(
      fc.property(fc.string(), (header) => {
        const stored = storedTraceparent(header);
        expect(stored === null || readTraceparent(stored) !== null).toBe(true);
      }),
    );
  });
});

describe('the ids of a call', () => {
  it('are the same on each node, differ between calls, and continue the trace of the parent', () => {
    const own = idsOf({ id: 'call 1', traceparent: null });
    expect(idsOf({ id: 'call 1', traceparent: null })).toEqual(own);
    expect(idsOf({ id: 'call 2', traceparent: null }).traceId).not.toBe(own.traceId);
    expect(idsOf({ id: 'call 1', traceparent: `00-${TRACE}-${SPAN}-01` })).toEqual({ ...own, traceId: TRACE });
  });

  it('give each tool call a separate span', () => {
    const call = { ...idsOf({ id: 'call', traceparent: null }), isSampled: true };
    const [one, other] = [toolContext(call, 'call_1'), toolContext(call, 'call_2')];
    expect(new Set([call.spanId, one.spanId, other.spanId]).size).toBe(3);
    expect(readTraceparent(traceparent(one))).toEqual(one);
  });
});
