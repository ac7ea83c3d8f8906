import type { ApplicationMessage } from '../../dialog/sip-application.ts';
import { canonicalName, getHeaderLines } from '../../message/headers.ts';
import type { SipHeader } from '../../message/sip-message.ts';
import { isToken, trimBlanks } from '../../message/token.ts';
import { isUri } from '../../message/uri.ts';

export class UnsafeApplicationMessage extends Error {
  override readonly name = 'UnsafeAppMessage';
}

/** Headers that only this server writes. In a message of the application, they were injected. */
const SERVER_ONLY = ['via', 'route', 'record-route', 'max-forwards', 'rseq', 'rack'];

/** The one header that signalling writes more than once: each challenge on its own line (RFC 3261 §7.3.1). */
const CHALLENGE = 'www-authenticate';

const encoder = new TextEncoder();

/**
 * Parses a message of `drachtio-srf`, and refuses one that can only result from a line break in a header value.
 *
 * `drachtio-srf` writes a value `v\r\nX-Evil: 1` as two valid headers. This function refuses every recognisable sign:
 * bare CR, LF or NUL, folded lines, a line that is not a header, a header of the server, a repeated name
 * (`drachtio-srf` writes each name once; challenges are excepted), and a wrong Content-Length, which reveals a value with
 * an empty line. It cannot recognise a single injected header: `sip/signalling/` refuses header values with line breaks
 * before.
 * @throws UnsafeApplicationMessage
 */
export function parseApplicationMessage(raw: string): ApplicationMessage {
  const end = raw.indexOf('\r\n\r\n');
  if (end < 0) throw new UnsafeApplicationMessage('no empty line after the headers');
  const [startLine = '', ...lines] = raw.slice(0, end).split('\r\n');
  const headers = lines.map(parseHeaderLine);
  const body = raw.slice(end + 4);
  refuseInjectedHeaders(headers, body);
  const bytes = encoder.encode(body);
  const message = parseStartLine(startLine, headers, bytes);
  if (message === null) throw new UnsafeApplicationMessage('malformed start line');
  return message;
}

function parseStartLine(line: string, headers: readonly SipHeader[], body: Uint8Array): ApplicationMessage | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this check is for control characters.
  if (/[\x00-\x1f\x7f]/.test(line)) return null;
  const response = /^SIP\/2\.0 ([1-6]\d\d)(?: (.*))?$/.exec(line);
  if (response !== null) {
    return { kind: 'response', status: Number(response[1]), reason: response[2] ?? '', headers, body };
  }
  const [method = '', uri = '', version, ...more] = line.split(' ');
  if (more.length > 0 || version !== 'SIP/2.0' || !isToken(method) || !isUri(uri)) return null;
  return { kind: 'request', method, uri, headers, body };
}

function parseHeaderLine(line: string): SipHeader {
  if (/[\r\n\0]/.test(line)) throw new UnsafeApplicationMessage('a header value with CR, LF or NUL');
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0));
  if (!isToken(name)) throw new UnsafeApplicationMessage('a line that is not a header');
  return { name, value: trimBlanks(line.slice(colon + 1)) };
}

function refuseInjectedHeaders(headers: readonly SipHeader[], body: string): void {
  const names = headers.map(({ name }) => canonicalName(name));
  const ours = names.find((name) => SERVER_ONLY.includes(name));
  if (ours !== undefined) throw new UnsafeApplicationMessage(`a ${ours} header of the application's own`);
  const repeated = names.find((name, index) => names.indexOf(name) !== index && name !== CHALLENGE);
  if (repeated !== undefined) throw new UnsafeApplicationMessage(`more than one ${repeated} header`);
  const [length] = getHeaderLines(headers, 'Content-Length');
  // `drachtio-srf` counts UTF-16 code units, as JavaScript's `length` does.
  if (length === undefined || Number(length) !== body.length)
    throw new UnsafeApplicationMessage('a wrong Content-Length');
}
