import { describe, expect, it } from 'vitest';
import { normalisedDestination } from '../../../engine/agent/destination-syntax.ts';

describe('destination syntax', () => {
  it.each([
    ['+4930123456', '+4930123456'],
    [' +49 (30) 123-456 ', '+4930123456'],
    ['+49\u00a030\u2011123.456', '+4930123456'],
    ['tel:+49-30-123456', '+4930123456'],
    ['TEL:+4930123456;isub=1', '+4930123456'],
    ['SIP:Desk@PBX.Example', 'sip:Desk@pbx.example'],
    ['sip:pbx.example', 'sip:pbx.example'],
    ['sips:+4930123456@10.0.0.1:5061;transport=TLS', 'sips:+4930123456@10.0.0.1:5061;transport=TLS'],
    ['sip:desk@[2001:DB8::1]:5060', 'sip:desk@[2001:db8::1]:5060'],
  ])('normalises %j', (destination, expected) => {
    expect(normalisedDestination(destination)).toBe(expected);
    expect(normalisedDestination(expected)).toBe(expected);
  });

  it.each([
    '',
    '   ',
    '030123456',
    '+0930123456',
    '+49',
    '+4930123456789012',
    '+49abc30123456',
    '+4930123456;ext=5',
    'tel:030123456;phone-context=+49',
    'mailto:a@b.example',
    'sip:',
    'sip:a@',
    'sip:a@b@c.example',
    'sip:a b@c.example',
    'sip:a@c.example?Replaces=x',
    'sip:a@c.example\r\nX-Evil: 1',
    'sip:<a@c.example>',
    'sip:a"@c.example',
    'sip:a@c.example:99999999',
    'https://example.com',
    '*21*+4930123456#',
  ])('rejects %j', (destination) => expect(normalisedDestination(destination)).toBeNull());
});
