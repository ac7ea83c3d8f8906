import { canonicalName } from './headers.ts';
import type { SipHeader } from './sip-message.ts';
import { isToken, trimBlanks } from './token.ts';

/** More than any call needs. A message with more is refused instead of costing time. */
export const HEADER_COUNT_MAX = 256;
/** A start line or header, unfolded, in characters. */
const LINE_LENGTH_MAX = 16_384;

export interface HeaderSection {
  readonly startLine: string;
  readonly headers: readonly SipHeader[];
  /** The first fault. `headers` holds the readable lines anyway. */
  readonly fault: string | null;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const latin1 = new TextDecoder('latin1');

/** The offset of the body, after the first empty line from `from` on; -1 without one. */
export function endOfHeaders(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0x0d, from); at >= 0; at = bytes.indexOf(0x0d, at + 1)) {
    if (bytes[at + 1] === 0x0a && bytes[at + 2] === 0x0d && bytes[at + 3] === 0x0a) return at + 4;
  }
  return -1;
}

/**
 * Splits and unfolds start line and headers (RFC 3261 §7.3.1). Text that is not valid UTF-8 is read as Latin-1, which
 * older exchanges write.
 */
export function readHeaderSection(bytes: Uint8Array): HeaderSection {
  const [startLine = '', ...lines] = unfold(decode(bytes).split('\r\n'));
  const headers: SipHeader[] = [];
  let fault = faultOfLine(startLine);
  for (const line of lines) {
    if (line === '') continue;
    if (headers.length >= HEADER_COUNT_MAX) {
      fault ??= `more than ${HEADER_COUNT_MAX} headers`;
      break;
    }
    const header = readHeader(line);
    if (typeof header === 'string') fault ??= header;
    else headers.push(header);
  }
  return { startLine, headers, fault };
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return latin1.decode(bytes);
  }
}

/** A line that begins with a blank continues the header before it; the start line cannot be folded. */
function unfold(lines: readonly string[]): string[] {
  const unfolded: string[] = [];
  for (const line of lines) {
    const last = unfolded.length - 1;
    const previous = unfolded[last];
    if (last >= 1 && previous !== undefined && /^[ \t]/.test(line)) {
      unfolded[last] = `${previous} ${trimBlanks(line)}`;
    } else {
      unfolded.push(line);
    }
  }
  return unfolded;
}

function readHeader(line: string): SipHeader | string {
  const fault = faultOfLine(line);
  if (fault !== null) return fault;
  const colon = line.indexOf(':');
  const name = trimBlanks(line.slice(0, Math.max(colon, 0)));
  if (!isToken(name) || line.startsWith(' ') || line.startsWith('\t')) return 'a line that is no header';
  return { name, value: trimBlanks(line.slice(colon + 1)) };
}

/** Control characters are valid only as a quoted pair, CR and LF never (RFC 3261 §25.1). */
function faultOfLine(line: string): string | null {
  if (line.length > LINE_LENGTH_MAX) return `a line longer than ${LINE_LENGTH_MAX} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this check is for control characters.
  return /[\r\n]|(?:^|[^\\])[\x00-\x08\x0b-\x1f\x7f]/.test(line) ? 'a control character' : null;
}

/** @returns the length, null without the header, or a fault where it is malformed or repeated. */
export function readContentLength(headers: readonly SipHeader[]): number | null | { readonly fault: string } {
  const lines = headers.filter((header) => canonicalName(header.name) === 'content-length');
  const [first] = lines;
  if (first === undefined) return null;
  if (lines.length > 1) return { fault: 'more than one Content-Length' };
  return /^\d{1,9}$/.test(first.value) ? Number(first.value) : { fault: 'malformed Content-Length' };
}
