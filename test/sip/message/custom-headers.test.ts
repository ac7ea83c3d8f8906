import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCustomHeaders } from '../../../sip/message/custom-headers.ts';

it.each([
  'From',
  'To',
  'P-Asserted-Identity',
  'p-preferred-identity',
  'Privacy',
  'Diversion',
  'User-Agent',
  'Subject',
  'X-Service-Call-Id',
  'x-lower',
])('%s may be set', (name) => {
  expect(checkCustomHeaders({ [name]: '<sip:+15550100@trunk.example>' })).toEqual({ ok: true });
});

it.each([
  'Via',
  'Contact',
  'Call-ID',
  'CSeq',
  'Route',
  'Record-Route',
  'Max-Forwards',
  'Content-Length',
  'Content-Type',
  'Authorization',
  'Require',
  'v',
  'f',
  'X-',
  'XCall',
])('%s cannot be set', (name) => {
  expect(checkCustomHeaders({ [name]: 'x' })).toEqual({
    ok: false,
    faults: [{ field: name, message: 'cannot be set' }],
  });
});

it.each(['', 'X A', 'X-A:', 'X-A\r\nVia', 'X-\u00fc', 'x-%0d%0aVia', 'X-A%0AB'])(
  '%j is not a valid header name',
  (name) => {
    expect(checkCustomHeaders({ [name]: 'x' })).toMatchObject({ faults: [{ message: 'is not a valid header name' }] });
  },
);

it.each(['v\r\nX-Evil: 1', 'v\nw', 'v\rw', 'v\0', 'a\tb', '\u0085', '\u2028', '\ud800'])(
  '%j is not a valid value',
  (value) => {
    expect(checkCustomHeaders({ 'X-A': value })).toEqual({
      ok: false,
      faults: [{ field: 'X-A', message: 'contains a control character' }],
    });
  },
);

it('From and To must be addresses', () => {
  expect(checkCustomHeaders({ From: 'Bob' })).toMatchObject({ faults: [{ field: 'From' }] });
  expect(checkCustomHeaders({ to: '<sip:a@b>, <sip:c@d>' })).toMatchObject({ faults: [{ field: 'to' }] });
});

describe('bounds', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'v']));

  it('allows 32 headers at most', () => {
    expect(checkCustomHeaders(many(32))).toEqual({ ok: true });
    expect(checkCustomHeaders(many(33))).toEqual({
      ok: false,
      faults: [{ field: null, message: 'more than 32 headers' }],
    });
  });

  it('allows 4 KiB of UTF-8 at most', () => {
    expect(checkCustomHeaders({ 'X-A': 'a'.repeat(4_093) })).toEqual({ ok: true });
    expect(checkCustomHeaders({ 'X-A': 'ü'.repeat(2_047) })).toMatchObject({ faults: [{ field: null }] });
  });
});

it('reports every fault, including a header in two spellings', () => {
  const check = checkCustomHeaders({ 'X-A': '1', 'x-a': '2', Via: 'x', 'X-B': '\n' });
  expect(check.ok ? [] : check.faults.map(({ field }) => field)).toEqual(['Via', 'X-B', 'x-a']);
});

it('an accepted header is one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, value) => {
      if (checkCustomHeaders({ [`X-${name}`]: value }).ok) expect(`${name}: ${value}`).not.toMatch(/[\r\n\0]/);
    }),
  );
});
