import { describe, expect, it } from 'vitest';
import { NO_EXTENSIONS, parseExtensions } from '../../../../src/configuration/extensions.ts';
import { createDestinationPolicy } from '../../../../src/telephony/destinations/destination-policy.ts';
import { type Dialler, NO_TRUNKS } from '../../../../src/telephony/destinations/destination-ruling.ts';
import { PREMIUM_RANGES } from '../../../../src/telephony/destinations/premium-ranges.ts';
import { trunkRecord } from '../trunks/trunk-record.ts';

const FRENCH = trunkRecord({ terminationUri: 'sip.carrier.example:5080', country: 'FR' });
const AMERICAN = trunkRecord({
  terminationUri: '192.0.2.9',
  country: 'US',
  allowedAddresses: ['198.51.100.0/24', '2001:db8::7'],
});
const PLAIN = trunkRecord({ terminationUri: 'pbx.example' });
const TRUNKS: Dialler = { trunks: [FRENCH, AMERICAN, PLAIN], own: FRENCH };

const allowing = (allowedPrefixes: readonly string[], extensions = '') =>
  createDestinationPolicy({ allowedPrefixes, extensions: parseExtensions(extensions) ?? NO_EXTENSIONS });
const DEFAULT = allowing([]);
const FRANCE = allowing(['+33', '+49']);

/** The dialled destination, or the reason of the refusal. */
const outcome = (policy: typeof DEFAULT, destination: string, dialler = TRUNKS): string => {
  const ruling = policy(destination, dialler);
  return ruling.ok ? ruling.destination : ruling.reason;
};

describe('a number', () => {
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
  ])('%s is dialled', (destination) => expect(outcome(DEFAULT, destination, NO_TRUNKS)).toBe(destination));

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
    '+3531550123456',
    '+4911833',
    '+39199123456',
    '+878101234567',
    'tel:+49-900-1234567',
    'tel:+499001234567;phone-context=+33',
    '+49 (900) 1234567',
    '+44 (0)90 12345678',
    '+1 1 900 555 1234',
    'sip:+499001234567@gw.example',
    'sip:00499001234567@gw.example',
    'sip:%2B499001234567@gw.example',
  ])('%s is a premium number, and is refused', (destination) => {
    expect(outcome(DEFAULT, destination)).toContain('premium range');
  });

  it('is dialled as it was judged, without a national prefix', () => {
    expect(outcome(DEFAULT, '+44 (0)20 7183 8750')).toBe('+442071838750');
  });

  it('outside the allowed prefixes is refused', () => {
    const policy = allowing(['+49', '+4420']);
    expect(outcome(policy, '+4930123456')).toBe('+4930123456');
    expect(outcome(policy, '+442071838750')).toBe('+442071838750');
    expect(outcome(policy, '+443012345678')).toContain('not in ALLOWED_PREFIXES');
    expect(outcome(policy, '+12025550123')).toContain('not in ALLOWED_PREFIXES');
    expect(outcome(policy, 'sip:+12025550123@gw.example')).toContain('not in ALLOWED_PREFIXES');
    expect(outcome(policy, '+499001234567')).toContain('premium range');
  });

  it('is dialled in a premium range only if the policy names the range or a part of it', () => {
    expect(outcome(allowing(['+49', '+49900']), '+499001234567')).toBe('+499001234567');
    const part = allowing(['+49', '+499001']);
    expect(outcome(part, '+499001234567')).toBe('+499001234567');
    expect(outcome(part, '+499003234567')).toContain('premium range');
    expect(outcome(allowing(['+353', '+3531']), '+3531550123456')).toContain('premium range');
    expect(outcome(allowing(['+353', '+3531550']), '+3531550123456')).toBe('+3531550123456');
  });

  it.each(['+330019005551234', '+33119005551234', '+490011900555123'])(
    'with further digits after it is refused: %s',
    (destination) => {
      expect(outcome(FRANCE, destination)).toContain('neither a phone number');
    },
  );

  it.each([
    '',
    '112',
    '030123456',
    'javascript:x',
    'sip:a@b@c',
    'tel:0900123456;phone-context=+49',
    '+49\r\n30123456;x',
    '+٤٩٣٠١٢٣٤٥٦',
    '+４９３０１２３４５６',
    'sip:a@192.0.2.9?Replaces=x%3Bto-tag%3D1',
    'sip:tel:+19005551234@192.0.2.9',
  ])('is not what this is: %j', (text) => expect(outcome(DEFAULT, text)).toContain('not an E.164 number'));
});

describe('a SIP URI at the host of a trunk', () => {
  it.each([
    ['sip:+33155555555@sip.carrier.example', 'sip:+33155555555@sip.carrier.example'],
    ['sip:0155555555@SIP.Carrier.Example.:5080', 'sip:+33155555555@sip.carrier.example.:5080'],
    ['sip:0033155555555@sip.carrier.example;user=phone', 'sip:+33155555555@sip.carrier.example;user=phone'],
    ['sip:01-55-55.55(55)@sip.carrier.example', 'sip:+33155555555@sip.carrier.example'],
    ['sip:33155555555@sip.carrier.example', 'sip:+33155555555@sip.carrier.example'],
    ['sip:01149301234567@192.0.2.9', 'sip:+49301234567@192.0.2.9'],
    ['sip:+33155555555;rn=+19005551234;npdi@192.0.2.9', 'sip:+33155555555@192.0.2.9'],
    ['sip:%2B3315%355555%35%35@192.0.2.9', 'sip:+33155555555@192.0.2.9'],
  ])('is dialled as a number: %s', (destination, dialled) => expect(outcome(FRANCE, destination)).toBe(dialled));

  it.each([
    'sip:19005551234@192.0.2.9',
    'sip:+19005551234@192.0.2.9',
    'sip:9005551234@192.0.2.9',
    'sip:12025550123@198.51.100.77',
    'sip:12025550123@[2001:DB8:0::7]',
    'sip:0119725551234@192.0.2.9',
    'sip:0012025550123@sip.carrier.example',
    'sip:00 1 202 555 0123@sip.carrier.example'.replaceAll(' ', '%20'),
    'sip:%30%30%31%32%30%32%35%35%35%30%31%32%33@sip.carrier.example',
    'sip:0012025550123@pbx.example',
    'sips:0012025550123@sip.carrier.example',
    'sip:0012025550123@sip.carrier.example;transport=tcp',
    'sip:0012025550123@sip.carrier.example:9999',
  ])('is refused outside the allowed prefixes: %s', (destination) => {
    expect(outcome(FRANCE, destination)).toContain('not in ALLOWED_PREFIXES');
  });

  it.each([
    'sip:9+19005551234@192.0.2.9',
    'sip:919005551234@192.0.2.9',
    'sip:*7219005551234@192.0.2.9',
    'sip:*72@192.0.2.9',
    'sip:%2321%23@192.0.2.9',
    'sip:911@192.0.2.9',
    'sip:118712@sip.carrier.example',
    'sip:1900FLOWERS@gw.example',
    'sip:+1900FLOWERS@gw.example',
    'sip:1001@pbx.example',
    'sip:desk@pbx.example',
    'sip:0155555555@pbx.example',
    'sip:9005551234;phone-context=+1@192.0.2.9',
    'sip:0155555555;phone-context=+1@sip.carrier.example',
    'sip:tel%3A+19005551234@192.0.2.9',
    'sip:+1900555%2531234@192.0.2.9',
    'sip:+19005551234%40gw.example@192.0.2.9',
    'sip:+19005551234,+33155555555@192.0.2.9',
    'sip:+19005551234%00@192.0.2.9',
    'sip:%EF%BC%8B19005551234@192.0.2.9',
    'sip:%D9%A1900555%D9%A1234@192.0.2.9',
    'sip:1-900-FLOWERS@192.0.2.9',
    'sip:p1234+19005551234@192.0.2.9',
  ])('is refused as neither a number nor a listed extension: %s', (destination) => {
    expect(outcome(FRANCE, destination)).toContain('neither a phone number');
  });

  it('without a user is refused', () =>
    expect(outcome(FRANCE, 'sip:pbx.example')).toBe('its address has no user part'));

  it.each([';maddr=203.0.113.1', ';method=BYE', ';phone-context=+1', ';rn=+19005551234', ';tgrp=intl'])(
    'with the URI parameter %s is refused',
    (parameter) => {
      expect(outcome(FRANCE, `sip:+33155555555@192.0.2.9${parameter}`)).toMatch(/its URI parameter \S+ is not allowed/);
    },
  );

  it('is dialled where the operator lists its extension', () => {
    const policy = allowing(['+33'], '1001,2000-2099, reception,*97');
    for (const user of ['1001', '2000', '2057', '2099', 'reception', '*97']) {
      expect(outcome(policy, `sip:${user}@pbx.example`)).toBe(`sip:${user}@pbx.example`);
    }
    for (const user of ['1002', '1999', '2100', '02000', '20500', 'Reception', '2000-2099', '97']) {
      expect(outcome(policy, `sip:${user}@pbx.example`)).toContain('nor in ALLOWED_EXTENSIONS');
    }
  });
});

describe('a SIP URI at another host', () => {
  it.each(['sip:desk@gw.example', 'sip:gw.example', 'sip:d.e-s_k~1@gw.example', 'sip:1a2b3c@gw.example'])(
    'is dialled as a name: %s',
    (destination) => expect(outcome(FRANCE, destination)).toBe(destination),
  );

  it.each([
    ['sip:0155555555@gw.example', 'sip:+33155555555@gw.example'],
    ['sip:+33155555555@gw.example', 'sip:+33155555555@gw.example'],
  ])('from seven digits on is dialled as a number: %s', (destination, dialled) => {
    expect(outcome(FRANCE, destination)).toBe(dialled);
  });

  it.each(['sip:0012025550123@gw.example', 'sip:0012025550123@2130706433'])(
    'from seven digits on is judged as a number: %s',
    (destination) => expect(outcome(FRANCE, destination)).toContain('not in ALLOWED_PREFIXES'),
  );

  it.each(['sip:1a2b3c4d5e6f7@gw.example', 'sip:1001@gw.example;user=phone', 'sip:1001@gw.example;user=dialstring'])(
    'that counts as a number but is not valid is refused: %s',
    (destination) => expect(outcome(FRANCE, destination)).toContain('neither a phone number'),
  );

  it.each([
    'sip:a%3Bb@gw.example',
    'sip:a?Replaces=b@gw.example',
    'sip:a%0D%0AX-Evil:b@gw.example',
    'sip:%C3%A9@gw.example',
  ])('with other characters in its user part is refused: %s', (destination) =>
    expect(DEFAULT(destination, TRUNKS).ok).toBe(false),
  );

  it.each([
    '112',
    '900',
    '1234',
    '118712',
    '9.1.1',
    '*72',
    '%2A72',
    '%2321%23',
    '*72desk',
    '1_1_2',
    "9'1'1",
    '~',
    '0',
    '%2B',
  ])('is refused as a short number or star code, in whatever form: %s', (user) =>
    expect(outcome(FRANCE, `sip:${user}@10.0.0.1`)).toContain('neither a phone number'),
  );

  it('is dialled where the operator lists its extension', () => {
    const policy = allowing(['+33'], '1000-1099,*97');
    for (const user of ['1001', '*97']) expect(outcome(policy, `sip:${user}@10.0.0.1`)).toBe(`sip:${user}@10.0.0.1`);
  });
});

it('lists each premium range once, by its international prefix', () => {
  for (const range of PREMIUM_RANGES) expect(range).toMatch(/^\+[1-9]\d{2,6}$/);
  expect(new Set(PREMIUM_RANGES).size).toBe(PREMIUM_RANGES.length);
});
