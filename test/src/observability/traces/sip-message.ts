/** A SIP message of the Call-ID abc@host as bytes. */
export function message(start: string, lines: readonly string[], body = ''): Uint8Array {
  const head = [start, 'Call-ID: abc@host', ...lines, `Content-Length: ${body.length}`];
  return Uint8Array.from(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`));
}

/** An INVITE with credentials, SRTP keys and the numbers of other calls. */
export const INVITE = message(
  'INVITE sip:+33987654321@127.0.0.1 SIP/2.0',
  [
    'CSeq: 1 INVITE',
    'From: "0123456789 not ours" <sip:+33123456789@host>;tag=1',
    'Diversion: <sip:004930123456@host>',
    'Authorization: Digest username="me", response="0123456789abcdef"',
    'Proxy-Authorization: Digest username="you"',
  ],
  'v=0\r\nm=audio 4000 RTP/SAVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz|2^20\r\n',
);
