import { describe, expect, it } from 'vitest';
import { previewCallId } from '../../../sip/message/header-text.ts';
import { getHeader } from '../../../sip/message/headers.ts';
import { parseMessage } from '../../../sip/message/parse-message.ts';

const LINES = [
  'OPTIONS sip:a@b SIP/2.0',
  'Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1',
  'From: <sip:a@b>;tag=1',
  'To: <sip:a@b>',
  'CSeq: 1 OPTIONS',
];

describe('the Call-ID of an unparsed message', () => {
  it.each([
    ['ASCII', Buffer.from('Call-ID: abc@host')],
    ['the compact form', Buffer.from('i:abc@host')],
    ['a folded line', Buffer.from('Call-ID:\r\n abc@host')],
  ])('is that of the parsed message: %s', (_, line) => {
    const rest = Buffer.from(`\r\nSubject: caf\u00e9`, 'latin1');
    const bytes = Buffer.concat([Buffer.from(`${LINES.join('\r\n')}\r\n`), line, rest, Buffer.from('\r\n\r\n')]);
    const parsed = parseMessage(bytes);
    const callId = parsed.ok ? getHeader(parsed.message.headers, 'Call-ID') : parsed.fault;
    expect(callId).toBe('abc@host');
    expect(previewCallId(bytes)).toBe(callId);
  });
});
