import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskedMessage } from '../../../../src/observability/traces/masked-message.ts';
import { INVITE, message } from './sip-message.ts';

const CALL = { fromNumber: '+33123456789', toNumber: '+33987654321' };

/** A country code of three digits, and the last two. */
const SHOWN_DIGITS_MAX = 5;
/** Positions of a number, without other digits. */
const IDENTITIES = [
  'From: "NUMBER" <sip:a@c>;tag=b',
  'From: "+NUMBER" <sip:a@c>;tag=b',
  'From: Anna NUMBER <sip:a@c>',
  'f: <sip:NUMBER@c>',
  'To: <sip:+NUMBER@c:x>;tag=b',
  'To: sip:%2BNUMBER@c;tag=b',
  't: <sips:NUMBER:password@c>',
  'Contact: <sip:anna;phone-context=NUMBER@c>',
  'm: <sip:NUMBER%40a@c>',
  'Contact: <sip:c;user=NUMBER>',
  'P-Asserted-Identity: <tel:+NUMBER>',
  'Remote-Party-ID: "a" <sip:NUMBER@c>;party=calling',
  'Diversion: "a NUMBER b" <sip:a@c>',
  'History-Info: <sip:a@c?Diversion=sip%3ANUMBER%40a>',
  'Referred-By: <sip:NUMBER>',
  'r: <tel:NUMBER;phone-context=c>',
  'X-Caller: NUMBER',
  'X-Caller: anna-NUMBER',
  'P-Called-Party-ID: <sip:anna@c;rn=NUMBER>',
];
/** 7 to 15 digits, plain or escaped, with separators between them. */
const number = fc.array(
  fc
    .tuple(
      fc.integer({ min: 0, max: 9 }),
      fc.boolean(),
      fc.constantFrom('', '', '', '-', '.', ' ', '/', '(', ') ', '%20', '%2D'),
    )
    .map(([digit, isEscaped, separator]) => ({ written: isEscaped ? `%3${digit}` : `${digit}`, separator })),
  { minLength: 7, maxLength: 15 },
);

/** The masked form of one header line. `CALL` does not contain the numbers of the line. */
function maskedLine(line: string): string {
  const { head } = maskedMessage(message('INVITE sip:c SIP/2.0', [line]), [CALL.fromNumber, CALL.toNumber]);
  return head.slice(head.indexOf('abc@host') + 'abc@host\r\n'.length, head.indexOf('\r\nContent-Length'));
}

function maskedSdp(...lines: readonly string[]): string[] {
  const { body } = maskedMessage(message('INVITE sip:c SIP/2.0', [], lines.join('\r\n')), []);
  return Buffer.from(body).toString().split('\r\n');
}

describe('a masked SIP message', () => {
  const { head, body } = maskedMessage(INVITE, [CALL.fromNumber, CALL.toNumber]);
  const text = head + Buffer.from(body).toString();

  it('contains no credentials, keys or numbers, and its body keeps its length', () => {
    for (const secret of ['33123456789', '33987654321', '004930123456', 'abcdef', '"me"', '"you"', 'WVNfX19']) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('Authorization: Digest ***\r\n');
    expect(text).toContain('sip:+33•••••••21@127.0.0.1');
    const [, length] = /Content-Length: (\d+)/.exec(text) ?? [];
    expect(body).toHaveLength(Number(length));
  });

  it('shows of a number only its last two digits and, in E.164 form, the country code', () => {
    const masked = maskedMessage(
      message(
        'INVITE sip:004930123456@host SIP/2.0',
        ['From: <sip:+353123456789@host>', 'X-To: 33987654321'],
        'tel:+33123456789 ',
      ),
      [CALL.fromNumber, CALL.toNumber],
    );
    expect(masked.head).toContain('INVITE sip:••••••••••56@host');
    expect(masked.head).toContain('From: <sip:+353•••••••89@host>');
    expect(masked.head).toContain('X-To: 33•••••••21');
    expect(Buffer.from(masked.body).toString()).toBe('tel:+33*******89 ');
  });

  it('keeps everything else', () => {
    expect(text).toContain('Call-ID: abc@host\r\n');
    expect(text).toContain('a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:****');
    expect(text).toContain('|2^20');
  });

  it.each([
    [
      'From: "0612345678" <sip:+33612345678@c>;tag=1234567890',
      'From: "••••••••78" <sip:+33•••••••78@c>;tag=1234567890',
    ],
    [
      'P-Asserted-Identity: "+33 6 12 34 56 78" <sip:+33-6-12-34-56-78@c>, <tel:+33-6-12345678>',
      'P-Asserted-Identity: "+33 • •• •• •• 78" <sip:+33-•-••-••-••-78@c>, <tel:+33-•-••••••78>',
    ],
    ['To: <sip:0612345678:x@c>', 'To: <sip:••••••••78:x@c>'],
    ['Diversion: "Anna 0155667788" <sip:%2B33155667788@c>', 'Diversion: "Anna ••••••••88" <sip:%2B33•••••••88@c>'],
    ['Contact: <sip:0612345678%40a@c>', 'Contact: <sip:••••••••78%40a@c>'],
    ['Contact: <sip:a%400612345678@c>', 'Contact: <sip:a%40••••••••78@c>'],
    ['X-Caller: 0612345678', 'X-Caller: ••••••••78'],
    ['X-Caller: 06.12.34.56', 'X-Caller: ••.••.••.56'],
    ['f: <sip:%30%36%31%32%33%34%35%36@c>', 'f: <sip:••••••••••••••••••%35%36@c>'],
    ['Subject: 06 12\r\n 34 56 78', 'Subject: •• ••\r\n •• •• 78'],
    ['From: "a;tag=0612345678" <sip:b;tag=0612345678>', 'From: "a;tag=••••••••78" <sip:b;tag=••••••••78>'],
    ['History-Info: <sip:0612345678>;index=1', 'History-Info: <sip:••••••••78>;index=1'],
    ['Via 0612345678', 'Via ••••••••78'],
    ['Warning: 399 192.0.2.10:5060 "0612345678 is busy"', 'Warning: 399 192.0.2.10:5060 "••••••••78 is busy"'],
    ['y: eyJhbGciOiJFUzI1NiJ9.eyJvcmlnIjp7InRuIjoiMzM2In19.c2ln;alg=ES256', 'y: ***;alg=ES256'],
    ['Authorization: Digest username="me",\r\n response="abc"', 'Authorization: Digest ***'],
    ['Authentication-Info: nextnonce="abc"', 'Authentication-Info: ***'],
  ])('masks «%s»', (line, masked) => expect(maskedLine(line)).toBe(masked));

  it.each([
    'Via: SIP/2.0/UDP 192.168.100.200:5060;branch=z9hG4bK1234567890',
    'To: <sip:anna@192.168.100.200:5060;transport=udp> ; tag=1234567890;x=y',
    'Contact: <sip:192.168.100.200:50600>',
    'Contact: <sip:anna@ip-10-110-120-130.ec2.internal;maddr=192.168.100.200>;expires=3600',
    'Record-Route: <sip:192.168.100.200;lr;ftag=1234567890>',
    'Replaces: 1234567890@c;to-tag=1234567890;from-tag=1234567890',
    'CSeq: 2147483647 INVITE',
    'RAck: 1234567 2147483647 INVITE',
    'x: 1234567890',
    'User-Agent: FPBX-16.0.40.7(18.20.2)',
  ])('does not change «%s»', (line) => expect(maskedLine(line)).toBe(line));

  it('masks the reason phrase of a response, not its status', () => {
    const { head } = maskedMessage(message('SIP/2.0 404 0612345678 unknown', []), []);
    expect(head).toContain('SIP/2.0 404 ••••••••78 unknown\r\n');
  });

  it('masks headers after empty lines, which a keep-alive leaves in front of a message', () => {
    const text = Buffer.from('\r\n\r\nINVITE sip:c SIP/2.0\r\nX-Caller: 0612345678\r\n\r\n');
    expect(maskedMessage(text, []).head).toBe('INVITE sip:c SIP/2.0\r\nX-Caller: ••••••••78\r\n\r\n');
  });

  it('masks free text in SDP and URIs in any body, and keeps ports, session ids and addresses', () => {
    const kept = [
      'v=0',
      'o=- 1234567890 1234567890 IN IP4 192.168.100.200',
      'c=IN IP4 192.168.100.200',
      't=3034423619 3042462419',
      'm=audio 40000 RTP/AVP 0 8 101',
      'a=ssrc:1234567890 cname:a',
      'a=candidate:1 1 UDP 2130706431 192.168.100.200 40000 typ host',
      'X: sip:a@192.168.100.200:5060',
    ];
    expect(maskedSdp(...kept)).toEqual(kept);
    expect(
      maskedSdp('s=Call 0612345678', 'p=+33 6 12 34 56 78', 'tel:+33-6-12345678', 'sip:%2B33612345678:x@c'),
    ).toEqual(['s=Call ********78', 'p=+33 * ** ** ** 78', 'tel:+33-*-******78', 'sip:%2B33*******78:x@c']);
  });

  it('shows at most the country code and the last two digits of a number in any identity, however it is written', () => {
    fc.assert(
      fc.property(number, fc.constantFrom(...IDENTITIES), (digits, identity) => {
        const planted = digits.map(({ written, separator }) => written + separator).join('');
        const shown = maskedLine(identity.replace('NUMBER', () => planted));
        expect(digitsOf(shown).length).toBeLessThanOrEqual(SHOWN_DIGITS_MAX);
      }),
    );
  });

  it('shows at most the country code and the last two digits of a number in a URI of a body, and keeps the length of the body', () => {
    fc.assert(
      fc.property(number, fc.constantFrom('sip:NUMBER@c', 'tel:NUMBER', 'p=NUMBER'), (digits, line) => {
        const planted = digits.map(({ written, separator }) => written + separator.replace(' ', '-')).join('');
        const unmasked = line.replace('NUMBER', () => planted);
        const [shown = ''] = maskedSdp(unmasked);
        expect(shown).toHaveLength(unmasked.length);
        expect(digitsOf(shown).length).toBeLessThanOrEqual(SHOWN_DIGITS_MAX);
      }),
    );
  });
});

/** The digits that a reader still sees. */
function digitsOf(text: string): string[] {
  return decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '')).match(/\d/g) ?? [];
}
