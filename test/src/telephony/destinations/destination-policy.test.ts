import { describe, expect, it } from 'vitest';
import { createDestinationPolicy } from '../../../../src/telephony/destinations/destination-policy.ts';
import { PREMIUM_RANGES } from '../../../../src/telephony/destinations/premium-ranges.ts';

describe('the destination policy', () => {
  it.each([
    '+4930123456',
    '+12025550123',
    '+18005550123',
    '+442071838750',
    '+447700900123',
    '+33142685300',
    '+33801234567',
    '+390612345678',
    '+34910123456',
    '+353151234567',
    '+905321234567',
    'tel:+49-30-123456',
    'sip:desk@pbx.example',
    'sip:1001@10.0.0.1',
  ])('allows %s', (destination) => expect(createDestinationPolicy([])(destination)).toBeNull());

  it.each([
    '+19002345678',
    '+449012345678',
    '+448712345678',
    '+447012345678',
    '+499001234567',
    '+491377123456',
    '+33891123456',
    '+34803123456',
    '+39899123456',
    '+31909123456',
    '+3290012345',
    '+41900123456',
    '+43900123456',
    '+351760123456',
    '+469001234567',
    '+48701234567',
    '+611900123456',
    '+979123456789',
    '+88212345678',
    'tel:+49-900-1234567',
    '+49 (900) 1234567',
    'sip:+499001234567@gw.example',
    'sip:00499001234567@gw.example',
    'sip:%2B499001234567@gw.example',
  ])('refuses the premium number %s', (destination) => {
    expect(createDestinationPolicy([])(destination)).toContain('premium range');
  });

  it('refuses every number outside the allowed prefixes', () => {
    const policy = createDestinationPolicy(['+49', '+4420']);
    expect(policy('+4930123456')).toBeNull();
    expect(policy('+442071838750')).toBeNull();
    expect(policy('+443012345678')).toContain('not in ALLOWED_PREFIXES');
    expect(policy('+12025550123')).toContain('not in ALLOWED_PREFIXES');
    expect(policy('sip:+12025550123@gw.example')).toContain('not in ALLOWED_PREFIXES');
    expect(policy('+499001234567')).toContain('premium range');
  });

  it('allows a listed premium range or a listed part of it', () => {
    expect(createDestinationPolicy(['+49', '+49900'])('+499001234567')).toBeNull();
    const part = createDestinationPolicy(['+49', '+499001']);
    expect(part('+499001234567')).toBeNull();
    expect(part('+499003234567')).toContain('premium range');
  });

  it.each(['', '112', '030123456', 'javascript:x', 'sip:a@b@c', '+49\r\n30123456;x'])(
    'refuses what is no destination: %j',
    (text) => {
      expect(createDestinationPolicy([])(text)).toContain('not an E.164 number');
    },
  );

  it('lists each range once, by its international prefix', () => {
    for (const range of PREMIUM_RANGES) expect(range).toMatch(/^\+[1-9]\d{2,6}$/);
    expect(new Set(PREMIUM_RANGES).size).toBe(PREMIUM_RANGES.length);
  });
});
