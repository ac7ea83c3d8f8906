import { parseCSeq } from './cseq.ts';
import { endOfHeaders, readContentLength, readHeaderSection } from './header-section.ts';
import { getHeader, getHeaderLines, getListValues } from './headers.ts';
import { parseAddressList, parseNameAddress } from './name-address.ts';
import { getParameter } from './parameters.ts';
import type { SipHeader, SipMessage, SipRequest, SipResponse } from './sip-message.ts';
import { isToken } from './token.ts';
import { isUri, parseUri } from './uri.ts';
import { parseVia, parseVias } from './via.ts';

/** The largest UDP datagram, and our bound for a message on a stream. */
export const MESSAGE_BYTES_MAX = 65_535;

export type ParsedMessage =
  | { readonly ok: true; readonly message: SipMessage }
  | { readonly ok: false; readonly fault: string; readonly partial?: FaultyRequest };

/** A request that cannot be served but can be answered without state. Absent for an ACK and for responses. */
export interface FaultyRequest {
  /** 400, or 505 for another version of the protocol. */
  readonly status: 400 | 505;
  readonly method: string;
  /** '' if the request line cannot be read. */
  readonly uri: string;
  /** Via lines (the topmost element is well-formed), From, To, Call-ID and CSeq, to be copied. */
  readonly headers: readonly SipHeader[];
}

/** The headers that a response copies (RFC 3261 §8.2.6.2); each but Via must appear exactly once. */
const COPIED = ['Via', 'From', 'To', 'Call-ID', 'CSeq'];
// Both are ASCII (RFC 3261 §25.1): other bytes, in an unknown encoding, could not be sent back unchanged. RFC 3261 allows `|` in
// neither. It separates the fields of drachtio's protocol, which contain both.
const CALL_ID = /^[!-{}~]+$/;
const TAG = /^[!#-{}~]+$/;
const ADDRESS_LISTS = ['Route', 'Record-Route'];
const GMT_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

type StartLine =
  | Pick<SipRequest, 'kind' | 'method' | 'uri'>
  | Pick<SipResponse, 'kind' | 'status' | 'reason'>
  | { readonly kind: 'unservable'; readonly method: string; readonly status: 400 | 505; readonly fault: string };

/**
 * Parses one datagram, or one message of `StreamFramer` (RFC 3261 §7, §18.3). Skips CRLFs before the start line, and cuts
 * off bytes beyond Content-Length. Without Content-Length, the body is the rest. Never throws. Linear in the size.
 */
export function parseMessage(bytes: Uint8Array): ParsedMessage {
  if (bytes.length > MESSAGE_BYTES_MAX) return { ok: false, fault: `more than ${MESSAGE_BYTES_MAX} bytes` };
  const start = skipCrlf(bytes);
  const bodyStart = endOfHeaders(bytes, start);
  const section = readHeaderSection(bytes.subarray(start, bodyStart < 0 ? bytes.length : bodyStart));
  const startLine = parseStartLine(section.startLine);
  if (startLine === null) return { ok: false, fault: 'malformed start line' };
  const fault =
    section.fault ??
    (bodyStart < 0 ? 'no empty line after the headers' : null) ??
    faultOfStartLine(startLine) ??
    faultOfHeaders(section.headers, startLine);
  const body = fault === null ? cutBody(bytes.subarray(bodyStart), section.headers) : { fault };
  if (!(body instanceof Uint8Array)) return refuse(body.fault, startLine, section.headers);
  if (startLine.kind === 'unservable') return refuse(startLine.fault, startLine, section.headers);
  return { ok: true, message: { ...startLine, headers: section.headers, body } };
}

function skipCrlf(bytes: Uint8Array): number {
  let at = 0;
  while (bytes[at] === 0x0d && bytes[at + 1] === 0x0a) at += 2;
  return at;
}

function parseStartLine(line: string): StartLine | null {
  const response = /^SIP\/2\.0 ([1-6]\d\d)(?: (.*))?$/is.exec(line);
  if (response !== null) return { kind: 'response', status: Number(response[1]), reason: response[2] ?? '' };
  const [method = '', uri = '', version = '', ...more] = line.split(' ');
  if (!isToken(method) || !/ SIP\/\d+\.\d+ *$/i.test(line)) return null;
  // A request line with extra blanks is recognised too, so that its sender gets a 400.
  if (uri === '' || version === '' || more.length > 0) {
    return { kind: 'unservable', method, status: 400, fault: 'malformed request line' };
  }
  if (version.toUpperCase() !== 'SIP/2.0') {
    return { kind: 'unservable', method, status: 505, fault: 'another version of SIP' };
  }
  return { kind: 'request', method, uri };
}

function faultOfStartLine(startLine: StartLine): string | null {
  if (startLine.kind !== 'request') return null;
  if (!isUri(startLine.uri)) return 'malformed Request-URI';
  const uri = parseUri(startLine.uri);
  const carriesHeaders = uri !== null && uri.scheme !== 'tel' && uri.headers.length > 0;
  return carriesHeaders ? 'a Request-URI with headers' : null;
}

function faultOfHeaders(headers: readonly SipHeader[], startLine: StartLine): string | null {
  for (const name of COPIED) {
    const count = getHeaderLines(headers, name).length;
    if (count === 0) return `no ${name}`;
    if (count > 1 && name !== 'Via') return `more than one ${name}`;
  }
  if (parseVias(headers) === null) return 'malformed Via';
  if (!CALL_ID.test(getHeader(headers, 'Call-ID') ?? '')) return 'malformed Call-ID';
  for (const name of ['From', 'To']) {
    const address = parseNameAddress(getHeader(headers, name) ?? '');
    const tag = address === null ? '' : getParameter(address.parameters, 'tag');
    if (tag !== null && !TAG.test(tag)) return `malformed ${name}`;
  }
  const cseq = parseCSeq(getHeader(headers, 'CSeq') ?? '');
  if (cseq === null) return 'malformed CSeq';
  if (startLine.kind === 'request' && cseq.method !== startLine.method) return 'CSeq names another method';
  return faultOfOptionalHeaders(headers);
}

/** Checks the optional headers that our transactions and dialogs rely on, and Date. */
function faultOfOptionalHeaders(headers: readonly SipHeader[]): string | null {
  const maxForwards = getHeaderLines(headers, 'Max-Forwards');
  if (maxForwards.length > 1) return 'more than one Max-Forwards';
  if (maxForwards.some((value) => !/^\d{1,9}$/.test(value) || Number(value) > 255)) return 'malformed Max-Forwards';
  const listed = ADDRESS_LISTS.find((name) => parseAddressList(headers, name) === null);
  if (listed !== undefined) return `malformed ${listed}`;
  const wildcard = getListValues(headers, 'Contact').join() === '*';
  if (!wildcard && parseAddressList(headers, 'Contact') === null) return 'malformed Contact';
  const date = getHeader(headers, 'Date');
  return date !== null && !GMT_DATE.test(date) ? 'malformed Date' : null;
}

/** Copies the body, so that a message outlives the receive buffer. */
function cutBody(rest: Uint8Array, headers: readonly SipHeader[]): Uint8Array | { readonly fault: string } {
  const length = readContentLength(headers);
  if (length !== null && typeof length !== 'number') return length;
  if (length !== null && length > rest.length) return { fault: 'body shorter than Content-Length' };
  return new Uint8Array(rest.subarray(0, length ?? rest.length));
}

function refuse(fault: string, startLine: StartLine, headers: readonly SipHeader[]): ParsedMessage {
  if (startLine.kind === 'response' || startLine.method === 'ACK') return { ok: false, fault };
  const [topVia] = getListValues(headers, 'Via');
  const copied = COPIED.flatMap((name) => getHeaderLines(headers, name).map((value) => ({ name, value })));
  const single = COPIED.every((name) => name === 'Via' || getHeaderLines(headers, name).length === 1);
  if (topVia === undefined || parseVia(topVia) === null || !single) return { ok: false, fault };
  const status = startLine.kind === 'unservable' ? startLine.status : 400;
  const uri = startLine.kind === 'request' ? startLine.uri : '';
  return { ok: false, fault, partial: { status, method: startLine.method, uri, headers: copied } };
}
