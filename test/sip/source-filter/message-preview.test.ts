import { expect, it } from 'vitest';
import { previewMessage } from '../../../sip/source-filter/message-preview.ts';

function isScanner(...lines: readonly string[]): boolean {
  const head = ['INVITE sip:100@192.0.2.1 SIP/2.0', 'Call-ID: a', ...lines, '', ''].join('\r\n');
  return previewMessage(Buffer.from(head)).isScanner;
}

it.each([
  'User-Agent: friendly-scanner',
  'user-agent:SIPVicious/0.3',
  'User-Agent : iWar',
  'User-Agent: smap 0.6.0',
  'User-Agent: VaxSIPUserAgent/3.1',
  'From: "sipvicious"<sip:100@1.1.1.1>;tag=1',
  'f: sipvicious <sip:100@1.1.1.1>;tag=1',
])('a scanner is known by its User-Agent or its display name: %s', (line) => {
  expect(isScanner(line)).toBe(true);
});

it.each([
  'From: <sip:phone@192.0.2.7>;tag=from-k3x9smap',
  'From: sip:phone@192.0.2.7;tag=0iwar',
  'From: "Iwar Svensson" <sip:iwar@example.com>;tag=1',
  'From: "A" <sip:100@sipvicious.example.com>;tag=sivus',
  'User-Agent: Roadmap/2',
])('no call of a phone is dropped for a part of a word in its headers: %s', (line) => {
  expect(isScanner(line)).toBe(false);
});
