import { describe, expect, it } from 'vitest';
import { isMediaUpgrade, isOriginAllowed, readUpgrade } from '../../../../src/calls/web/upgrade-request.ts';

const ID = '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11';
const HANDSHAKE = {
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const request = (changes: object = {}, headers: Record<string, string | undefined> = {}) => ({
  method: 'GET',
  url: `/v1/calls/${ID}/media?token=abc`,
  headers: { ...HANDSHAKE, ...headers },
  ...changes,
});

describe('the handshake of a web call’s media', () => {
  it('contains the call and its token, with or without a path prefix', () => {
    expect(readUpgrade(request())).toEqual({ callId: ID, token: 'abc' });
    expect(readUpgrade(request({ url: `/voice/v1/calls/${ID.toUpperCase()}/media?token=abc` }))?.callId).toBe(ID);
    expect(readUpgrade(request({ url: `/v1/calls/${ID}/media` }))?.token).toBe('');
  });

  it.each([
    { name: 'another method', upgrade: request({ method: 'POST' }) },
    { name: 'another path', upgrade: request({ url: '/v1/calls' }) },
    { name: 'an invalid id', upgrade: request({ url: '/v1/calls/1/media?token=abc' }) },
    { name: 'an invalid URL', upgrade: request({ url: 'http://[' }) },
    { name: 'a URL that is too long', upgrade: request({ url: `/v1/calls/${ID}/media?token=${'x'.repeat(1_000)}` }) },
    { name: 'no key', upgrade: request({}, { 'sec-websocket-key': undefined }) },
    { name: 'an old version', upgrade: request({}, { 'sec-websocket-version': '8' }) },
  ])('is refused with $name', ({ upgrade }) => {
    expect(readUpgrade(upgrade)).toBeNull();
  });

  it('handles other upgrades as plain HTTP', () => {
    expect(isMediaUpgrade(request())).toBe(true);
    expect(isMediaUpgrade(request({}, { upgrade: 'h2c' }))).toBe(false);
    expect(isMediaUpgrade(request({ url: '/v1/calls' }))).toBe(false);
  });

  it.each([
    { origin: undefined, allowed: [], isAllowed: true },
    { origin: 'https://calls.test', allowed: [], isAllowed: true },
    { origin: 'https://shop.test', allowed: ['https://shop.test'], isAllowed: true },
    { origin: 'https://shop.test', allowed: ['*'], isAllowed: true },
    { origin: 'https://shop.test', allowed: [], isAllowed: false },
    { origin: 'https://shop.test.evil.test', allowed: ['https://shop.test'], isAllowed: false },
    { origin: 'https://calls.test.evil.test', allowed: [], isAllowed: false },
    { origin: 'null', allowed: [], isAllowed: false },
  ])('from $origin with the allowed origins $allowed is allowed: $isAllowed', ({ origin, allowed, isAllowed }) => {
    expect(isOriginAllowed({ host: 'calls.test', ...(origin !== undefined && { origin }) }, allowed)).toBe(isAllowed);
  });
});
