import { removeHeader } from './headers.ts';
import type { SipMessage } from './sip-message.ts';
import { isToken } from './token.ts';

/** The message would be parsed with other headers than intended. */
export class UnserializableMessage extends Error {
  override readonly name = 'UnserializableMessage';
}

const encoder = new TextEncoder();

/**
 * The bytes of a message (RFC 3261 §7). Content-Length is always computed, and last.
 * @throws UnserializableMessage for a method or header name that is no token, a Request-URI with blanks, a status
 * outside 100–699, and CR, LF or NUL above the body.
 */
export function serializeMessage(message: SipMessage): Uint8Array {
  const lines = [startLineOf(message)];
  for (const { name, value } of removeHeader(message.headers, 'Content-Length')) {
    if (!isToken(name)) throw new UnserializableMessage('a header name that is not a token');
    if (!isOneLine(value)) throw new UnserializableMessage(`a value of ${name} with CR, LF or NUL`);
    lines.push(`${name}: ${value}`);
  }
  lines.push(`Content-Length: ${message.body.length}`, '', '');
  const head = encoder.encode(lines.join('\r\n'));
  const bytes = new Uint8Array(head.length + message.body.length);
  bytes.set(head);
  bytes.set(message.body, head.length);
  return bytes;
}

function startLineOf(message: SipMessage): string {
  if (message.kind === 'response') {
    const { status, reason } = message;
    const valid = Number.isInteger(status) && status >= 100 && status <= 699 && isOneLine(reason);
    if (!valid) throw new UnserializableMessage('a malformed status line');
    return `SIP/2.0 ${status} ${reason}`;
  }
  const valid = isToken(message.method) && /^[^\s\0]+$/.test(message.uri);
  if (!valid) throw new UnserializableMessage('a malformed request line');
  return `${message.method} ${message.uri} SIP/2.0`;
}

/** Whether a header value stays one line on the wire: no CR, LF or NUL. */
export function isOneLine(text: string): boolean {
  return !/[\r\n\0]/.test(text);
}
