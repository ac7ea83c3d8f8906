/** The lines of a small well-formed INVITE. */
export const INVITE_LINES: readonly string[] = [
  'INVITE sip:agent@192.0.2.10 SIP/2.0',
  'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK776asdhds;rport',
  'Max-Forwards: 70',
  'To: <sip:agent@192.0.2.10>',
  'From: "Alice" <sip:alice@192.0.2.1>;tag=1928301774',
  'Call-ID: a84b4c76e66710@192.0.2.1',
  'CSeq: 314159 INVITE',
  'Contact: <sip:alice@192.0.2.1:5060>',
];

export function bytesOf(lines: readonly string[], body = ''): Uint8Array {
  return new TextEncoder().encode(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** The INVITE with the lines of one header replaced or removed. */
export function inviteWith(name: string, ...lines: string[]): string[] {
  return INVITE_LINES.flatMap((line) => (line.startsWith(`${name}:`) ? lines : [line]));
}
