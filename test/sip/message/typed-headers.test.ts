import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCSeq, parseCSeq } from '../../../sip/message/cseq.ts';
import { getHeader, getListValues, prependHeader, removeHeader, setHeader } from '../../../sip/message/headers.ts';
import { formatNameAddress, parseAddressList, parseNameAddress, tagOf } from '../../../sip/message/name-address.ts';
import { getParameter, setParameter } from '../../../sip/message/parameters.ts';
import { decodeUser, formatUri, parseUri } from '../../../sip/message/uri.ts';
import { branchOf, formatVia, parseVia, parseVias, receivedOf, rportOf } from '../../../sip/message/via.ts';

describe('URIs', () => {
  it.each([
    'sip:alice@atlanta.example',
    'sips:alice:secret@atlanta.example:5061;transport=tcp;lr',
    'sip:+12125551212;phone-context=x@gw.example;user=phone',
    'sip:alice@[2001:db8::1]:5060;maddr=192.0.2.1',
    'sip:192.0.2.1',
    'sip:*21#@pbx_1',
    'sip:a@b?Subject=x&Priority=',
    'tel:+1-201-555-0123;ext=22',
    'tel:911;phone-context=+1',
  ])('parses %s and formats it unchanged', (text) => {
    const uri = parseUri(text);
    expect(uri === null ? null : formatUri(uri)).toBe(text);
  });

  it.each([
    'sip:',
    'sip:@host',
    'sip:a@',
    'sip:a b@host',
    'sip:a@host:0',
    'sip:a@host:65536',
    'sip:a@host:x',
    'sip:a@[::1',
    'sip:a@[nonsense]',
    'sip:a@-host',
    'sip:a%4@host',
    'sip:a@host;',
    'sip:a@host;a=\r\nX: y',
    'sip:a@host;a="b"',
    'sip:a@host?x',
    'tel:',
    'tel:+',
    'http://x',
    'alice@host',
    '',
  ])('refuses %j', (text) => {
    expect(parseUri(text)).toBeNull();
  });

  it('decodes the escapes of a user, unless they are not UTF-8', () => {
    expect(decodeUser('%2B1%20x')).toBe('+1 x');
    expect(decodeUser('%ff')).toBe('%ff');
  });
});

describe('name-addresses', () => {
  it.each([
    ['"A. \\"G.\\" Bell" <sip:a@b;lr>;tag=x', 'A. "G." Bell', 'sip:a@b;lr', 'x'],
    ['Anna Bell<sip:a@b>', 'Anna Bell', 'sip:a@b', null],
    ['"<sip:evil@x>" <sip:a@b>;tag=1', '<sip:evil@x>', 'sip:a@b', '1'],
    ['sip:a@b;tag=y', null, 'sip:a@b', 'y'],
    ['<tel:+123>;tag="q"', null, 'tel:+123', 'q'],
    ['Müller <sip:a@b>', 'Müller', 'sip:a@b', null],
    ['Bell (Sales) @ HQ <sip:a@b>', 'Bell (Sales) @ HQ', 'sip:a@b', null],
  ])('parses %s', (text, display, uri, tag) => {
    expect(parseNameAddress(text)).toMatchObject({ display, uri });
    expect(tagOf(text)).toBe(tag);
  });

  it.each([
    '',
    '<>',
    '<sip:a@b',
    '"open <sip:a@b>',
    'Bell, A <sip:a@b>',
    '< sip:a@b >',
    '<sip:a@b>;;tag=1',
    '<sip:a@b>;tag=',
    '<sip:a@b> x',
    'sip:a@b?Route=x',
    '"a" "b" <sip:a@b>',
  ])('refuses %j', (text) => {
    expect(parseNameAddress(text)).toBeNull();
    expect(tagOf(text)).toBeNull();
  });

  it('parses a formatted address as the same address, with any display name', () => {
    const display = fc.string({ unit: 'grapheme-ascii' });
    fc.assert(
      fc.property(display, (name) => {
        const address = { display: name, uri: 'sip:a@b', parameters: [{ name: 'tag', value: 'x' }] };
        expect(parseNameAddress(formatNameAddress(address))).toEqual(address);
      }),
    );
  });

  it('splits a list outside quotes and brackets, over several lines', () => {
    const headers = [
      { name: 'Route', value: '"a, b" <sip:a@x;p=1>, <sip:b@x>;q=2' },
      { name: 'route', value: '<sip:c@x>' },
    ];
    expect(parseAddressList(headers, 'Route')?.map(({ uri }) => uri)).toEqual(['sip:a@x;p=1', 'sip:b@x', 'sip:c@x']);
    expect(parseAddressList([{ name: 'Route', value: '<sip:a@x>,,<sip:b@x>' }], 'Route')).toBeNull();
    expect(parseAddressList([], 'Route')).toEqual([]);
  });
});

describe('Via', () => {
  it('parses sent-by, branch, received and rport, and formats them unchanged', () => {
    const text = 'SIP/2.0/TCP [2001:db8::9]:5061;branch=z9hG4bKx;received=192.0.2.7;rport=4000';
    const via = parseVia(text);
    expect(via).toMatchObject({ transport: 'TCP', host: '[2001:db8::9]', port: 5061 });
    if (via === null) return;
    expect(formatVia(via)).toBe(text);
    expect([branchOf(via), receivedOf(via), rportOf(via)]).toEqual(['z9hG4bKx', '192.0.2.7', 4000]);
  });

  it('reads a bare rport as a request for the port, and allows blanks everywhere', () => {
    const via = parseVia('SIP / 2.0 /udp  host : 5070 ; rport ; branch = z9hG4bKy');
    expect(via).toMatchObject({ transport: 'UDP', host: 'host', port: 5070 });
    expect(via && rportOf(via)).toBe('requested');
    const filledIn = via && { ...via, parameters: setParameter(via.parameters, 'RPORT', '5070') };
    expect(filledIn && formatVia(filledIn)).toBe('SIP/2.0/UDP host:5070;RPORT=5070;branch=z9hG4bKy');
  });

  it.each(['', 'SIP/2.0', 'SIP/2.0/UDP', 'SIP/2.0/UDP a b', 'SIP/2.0/UDP a;', 'X/2.0/UDP a', 'SIP/2.0/UDP a:0'])(
    'refuses %j',
    (text) => {
      expect(parseVia(text)).toBeNull();
    },
  );

  it('parses all Vias from the top down, or none if one is malformed', () => {
    const headers = [
      { name: 'v', value: 'SIP/2.0/UDP a, SIP/2.0/UDP b' },
      { name: 'Via', value: 'SIP/2.0/TCP c' },
    ];
    expect(parseVias(headers)?.map(({ host }) => host)).toEqual(['a', 'b', 'c']);
    expect(parseVias([...headers, { name: 'Via', value: ';;' }])).toBeNull();
    expect(parseVias([])).toBeNull();
  });
});

it('parses a CSeq up to 2^31 - 1', () => {
  expect(parseCSeq('2147483647 INVITE')).toEqual({ number: 2_147_483_647, method: 'INVITE' });
  for (const value of ['2147483648 INVITE', '-1 INVITE', '1', 'INVITE 1', '1 IN VITE', '1e3 BYE', '']) {
    expect(parseCSeq(value)).toBeNull();
  }
  expect(formatCSeq({ number: 7, method: 'BYE' })).toBe('7 BYE');
});

describe('header lists', () => {
  const headers = [
    { name: 'v', value: 'a' },
    { name: 'Subject', value: 'b' },
    { name: 'Via', value: 'c' },
  ];

  it('finds a header by its long and its compact name', () => {
    expect(getHeader(headers, 'VIA')).toBe('a');
    expect(getHeader(headers, 's')).toBe('b');
    expect(getHeader(headers, 'To')).toBeNull();
  });

  it('sets a header in place of the first, removes all of a name, and does not change the given list', () => {
    const before = structuredClone(headers);
    expect(setHeader(headers, 'Via', 'x').map(({ value }) => value)).toEqual(['x', 'b']);
    expect(setHeader(headers, 'To', 'x').map(({ value }) => value)).toEqual(['a', 'b', 'c', 'x']);
    expect(removeHeader(headers, 'Via')).toEqual([{ name: 'Subject', value: 'b' }]);
    expect(prependHeader(headers, 'Via', 'x')[0]).toEqual({ name: 'Via', value: 'x' });
    expect(headers).toEqual(before);
  });

  it('reads no values from an empty list', () => {
    expect(getListValues([{ name: 'Supported', value: '' }], 'k')).toEqual([]);
    expect(getListValues([{ name: 'k', value: 'timer, 100rel' }], 'Supported')).toEqual(['timer', '100rel']);
  });

  it('finds a parameter in any case, without its quotes', () => {
    expect(getParameter([{ name: 'Tag', value: '"a\\"b"' }], 'tAG')).toBe('a"b');
    expect(getParameter([{ name: 'lr', value: null }], 'LR')).toBe('');
    expect(getParameter([], 'lr')).toBeNull();
  });
});
