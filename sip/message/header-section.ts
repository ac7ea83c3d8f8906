import { decodeHeaderText } from './header-text.ts';
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

/** C0 without the tab, DEL, and C1. */
const CONTROL = /[^\P{Cc}\t]/u;

/** The offset of the body, after the first empty line from `from` on; -1 without one. */
export function endOfHeaders(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0x0d, from); at >= 0; at = bytes.indexOf(0x0d, at + 1)) {
    if (bytes[at + 1] === 0x0a && bytes[at + 2] === 0x0d && bytes[at + 3] === 0x0a) return at + 4;
  }
  return -1;
}

/** Splits and unfolds start line and headers (RFC 3261 §7.3.1). */
export function readHeaderSection(bytes: Uint8Array): HeaderSection {
  const [startLine = '', ...lines] = unfold(decodeHeaderText(bytes).split('\r\n'));
  const headers: SipHeader[] = [];
  let fault = CONTROL.test(startLine) ? 'a control character' : faultOfLine(startLine);
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
  if (!isToken(name) || line.startsWith(' ') || line.startsWith('\t')) return 'a line that is not a header';
  return { name, value: trimBlanks(line.slice(colon + 1)) };
}

function faultOfLine(line: string): string | null {
  if (line.length > LINE_LENGTH_MAX) return `a line longer than ${LINE_LENGTH_MAX} characters`;
  return CONTROL.test(line) && hasUnquotedControl(line) ? 'a control character' : null;
}

/**
 * Control characters of ASCII are valid as a quoted pair in a quoted string; CR, LF and C1 never (RFC 3261 §25.1). In a comment
 * of User-Agent or Server they would be valid too, but no peer sends them.
 */
function hasUnquotedControl(line: string): boolean {
  let isQuoted = false;
  let hasPair = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    const next = line[at + 1] ?? '';
    if (isQuoted && character === '\\' && /[\p{ASCII}]/u.test(next) && !/[\r\n]/.test(next)) {
      hasPair ||= CONTROL.test(next);
      at++;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (CONTROL.test(character)) return true;
  }
  // A quote that stays open begins no quoted string.
  return isQuoted && hasPair;
}

/** @returns the length, null without the header, or a fault if it is malformed or repeated. */
export function readContentLength(headers: readonly SipHeader[]): number | null | { readonly fault: string } {
  const lines = headers.filter((header) => canonicalName(header.name) === 'content-length');
  const [first] = lines;
  if (first === undefined) return null;
  if (lines.length > 1) return { fault: 'more than one Content-Length' };
  return /^\d{1,9}$/.test(first.value) ? Number(first.value) : { fault: 'malformed Content-Length' };
}
