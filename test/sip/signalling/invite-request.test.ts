import { describe, expect, it } from 'vitest';
import { makeInvite } from '../../../sip/signalling/invite-request.ts';
import type { InviteRequest } from '../../../sip/signalling/signalling.ts';
import { SignallingError } from '../../../sip/signalling/signalling-error.ts';

const REQUEST: InviteRequest = {
  trunk: { host: 'trunk.example', port: 5070, transport: 'udp' },
  to: '+15550100',
  from: '+15550199',
  headers: {},
  offer: 'v=0',
  ringTimeoutMs: 1_000,
};

const make = (change: Partial<InviteRequest>) => makeInvite({ ...REQUEST, ...change }, 'id@x', '192.0.2.1');

it('makes Request-URI, To and From from numbers, trunk and our address', () => {
  expect(make({})).toEqual({
    uri: 'sip:+15550100@trunk.example:5070',
    headers: expect.objectContaining({
      'Call-ID': 'id@x',
      From: '<sip:+15550199@192.0.2.1>',
      To: '<sip:+15550100@trunk.example>',
      'Content-Type': 'application/sdp',
    }),
  });
});

it('adds `transport=tcp` to the Request-URI, and brackets around IPv6 addresses', () => {
  const trunk = { host: '2001:db8::1', port: null, transport: 'tcp' } as const;
  expect(make({ trunk }).uri).toBe('sip:+15550100@[2001:db8::1];transport=tcp');
});

it('escapes unsafe characters of a user part', () => {
  expect(make({ to: 'a@evil.example' }).uri).toBe('sip:a%40evil.example@trunk.example:5070');
  expect(make({ to: '*21#;x=y' }).uri).toBe('sip:*21%23%3Bx%3Dy@trunk.example:5070');
  expect(make({ from: 'a"\r\nX: y' }).headers.From).toBe('<sip:a%22%0D%0AX%3A%20y@192.0.2.1>');
});

it('overrides From, To and identity, but neither Request-URI nor tags', () => {
  const headers = {
    from: '"Support" <sip:100@company.example>;tag=evil',
    To: 'sip:other@company.example',
    'P-Asserted-Identity': '<sip:100@company.example>',
    'X-Campaign': 'spring',
  };
  const request = make({ headers });
  expect(request.uri).toBe('sip:+15550100@trunk.example:5070');
  expect(request.headers).toMatchObject({
    From: '"Support" <sip:100@company.example>',
    To: '<sip:other@company.example>',
    'P-Asserted-Identity': '<sip:100@company.example>',
    'X-Campaign': 'spring',
  });
  expect(Object.keys(request.headers)).not.toContain('from');
});

it("sends the trunk's user and host in From, and the calling number as P-Preferred-Identity", () => {
  const identity = { fromUser: 'account 7', fromDomain: 'carrier.example' };
  expect(make(identity).headers).toMatchObject({
    From: '<sip:account%207@carrier.example>',
    'P-Preferred-Identity': '<sip:+15550199@carrier.example>',
  });
  expect(make({ fromDomain: '2001:db8::1' }).headers.From).toBe('<sip:+15550199@[2001:db8::1]>');
  expect(make({ fromDomain: 'carrier.example' }).headers).not.toHaveProperty('P-Preferred-Identity');
  const headers = { From: '<sip:1@a.example>', 'P-Asserted-Identity': '<sip:2@a.example>' };
  const overridden = make({ ...identity, headers }).headers;
  expect(overridden).toMatchObject(headers);
  expect(overridden).not.toHaveProperty('P-Preferred-Identity');
});

describe('throws for', () => {
  it.each([
    [{ headers: { 'X-A': 'v\r\nX-Evil: 1' } }, 'invalid_header'],
    [{ headers: { Contact: '<sip:evil@x>' } }, 'invalid_header'],
    [{ headers: { 'x-%0aVia': 'y' } }, 'invalid_header'],
    [{ to: '' }, 'invalid_address'],
    [{ from: '\ud800' }, 'invalid_address'],
    [{ trunk: { ...REQUEST.trunk, host: 'a b' } }, 'invalid_address'],
    [{ trunk: { ...REQUEST.trunk, host: 'x>\r\nVia: y' } }, 'invalid_address'],
    [{ trunk: { ...REQUEST.trunk, host: '' } }, 'invalid_address'],
    [{ trunk: { ...REQUEST.trunk, port: 70_000 } }, 'invalid_address'],
  ] satisfies [Partial<InviteRequest>, string][])('%j', (change, code) => {
    expect(() => make(change)).toThrow(expect.objectContaining({ name: 'SignallingError', code }));
    expect(() => make(change)).toThrow(SignallingError);
  });
});
