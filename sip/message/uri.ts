import { isIPv4, isIPv6 } from 'node:net';
import type { Parameter } from './parameters.ts';

/** RFC 3261 §19.1. Escapes stay as written; `decodeUser` reads them. */
export interface SipUri {
  readonly scheme: 'sip' | 'sips';
  readonly user: string | null;
  readonly password: string | null;
  /** A name, an IPv4 address, or an IPv6 reference in its brackets. */
  readonly host: string;
  readonly port: number | null;
  readonly parameters: readonly Parameter[];
  /** The part after `?`. */
  readonly headers: readonly Parameter[];
}

/** RFC 3966. */
export interface TelUri {
  readonly scheme: 'tel';
  /** As written, visual separators included. */
  readonly number: string;
  readonly parameters: readonly Parameter[];
}

export type Uri = SipUri | TelUri;

// `#` is no user character of RFC 3261, but peers dial it unescaped (`*21#`).
const USER = /^(?:[A-Za-z0-9\-_.!~*'()&=+$,;?/#]|%[0-9A-Fa-f]{2})+$/;
const PASSWORD = /^(?:[A-Za-z0-9\-_.!~*'()&=+$,]|%[0-9A-Fa-f]{2})*$/;
const PARAMETER_PART = /^(?:[A-Za-z0-9\-_.!~*'()[\]/:&+$]|%[0-9A-Fa-f]{2})+$/;
const HEADER_PART = /^(?:[A-Za-z0-9\-_.!~*'()[\]/?:+$]|%[0-9A-Fa-f]{2})*$/;
// Host names have no underscores, but container networks assign such names.
const HOST_NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_.])?$/;
const TEL_NUMBER = /^(?:\+(?=[-.()]*[0-9])[0-9\-.()]+|[0-9A-Fa-f*#\-.()]+)$/;
const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x3b\x3d\x3f-\x7e]+$/;
const HOST_LENGTH_MAX = 255;

/** @returns null for anything but a well-formed `sip:`, `sips:` or `tel:` URI. */
export function parseUri(text: string): Uri | null {
  const colon = text.indexOf(':');
  const rest = text.slice(colon + 1);
  switch (text.slice(0, Math.max(colon, 0)).toLowerCase()) {
    case 'sip':
      return parseSipUri('sip', rest);
    case 'sips':
      return parseSipUri('sips', rest);
    case 'tel':
      return parseTelUri(rest);
    default:
      return null;
  }
}

/** Whether the text is a valid URI: a well-formed SIP or tel URI, or an absolute URI of another scheme. */
export function isUri(text: string): boolean {
  return /^(?:sips?|tel):/i.test(text) ? parseUri(text) !== null : ABSOLUTE_URI.test(text);
}

function parseSipUri(scheme: SipUri['scheme'], text: string): SipUri | null {
  const at = text.indexOf('@');
  const userinfo = parseUserinfo(at < 0 ? null : text.slice(0, at));
  if (userinfo === null) return null;
  const [beforeHeaders, headerText] = cut(text.slice(at + 1), '?');
  const [hostPort, parameterText] = cut(beforeHeaders, ';');
  const sentBy = parseHostPort(hostPort);
  const parameters = parsePairs(parameterText, ';', PARAMETER_PART, false);
  const headers = parsePairs(headerText, '&', HEADER_PART, true);
  if (sentBy === null || parameters === null || headers === null) return null;
  return { scheme, ...userinfo, ...sentBy, parameters, headers };
}

function parseUserinfo(text: string | null): Pick<SipUri, 'user' | 'password'> | null {
  if (text === null) return { user: null, password: null };
  const [user, password] = cut(text, ':');
  if (!USER.test(user) || (password !== null && !PASSWORD.test(password))) return null;
  return { user, password };
}

function parseTelUri(text: string): TelUri | null {
  const [number, parameterText] = cut(text, ';');
  const parameters = parsePairs(parameterText, ';', PARAMETER_PART, false);
  if (!TEL_NUMBER.test(number) || parameters === null) return null;
  return { scheme: 'tel', number, parameters };
}

/** `host[:port]`, the host an IPv6 reference in brackets, an IPv4 address or a name. */
export function parseHostPort(text: string): { readonly host: string; readonly port: number | null } | null {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1];
  if (host === undefined || !isHost(host)) return null;
  const port = match?.[2] === undefined ? null : Number(match[2]);
  return port !== null && (port < 1 || port > 65_535) ? null : { host, port };
}

function isHost(text: string): boolean {
  if (text.startsWith('[')) return isIPv6(text.slice(1, -1)) && !text.includes('%');
  return text.length <= HOST_LENGTH_MAX && (isIPv4(text) || HOST_NAME.test(text));
}

function parsePairs(text: string | null, separator: string, part: RegExp, emptyValue: boolean): Parameter[] | null {
  if (text === null) return [];
  const pairs: Parameter[] = [];
  for (const piece of text.split(separator)) {
    const [name, value] = cut(piece, '=');
    if (name === '' || !part.test(name)) return null;
    if (value === null ? emptyValue : !part.test(value)) return null;
    pairs.push({ name, value });
  }
  return pairs;
}

/** The parts before and after the first separator (null without one). */
function cut(text: string, separator: string): [string, string | null] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

export function formatUri(uri: Uri): string {
  const parameters = uri.parameters.map((parameter) => `;${formatPair(parameter)}`).join('');
  if (uri.scheme === 'tel') return `tel:${uri.number}${parameters}`;
  const password = uri.password === null ? '' : `:${uri.password}`;
  const userinfo = uri.user === null ? '' : `${uri.user}${password}@`;
  const port = uri.port === null ? '' : `:${uri.port}`;
  const headers = uri.headers.length === 0 ? '' : `?${uri.headers.map(formatPair).join('&')}`;
  return `${uri.scheme}:${userinfo}${uri.host}${port}${parameters}${headers}`;
}

function formatPair({ name, value }: Parameter): string {
  return value === null ? name : `${name}=${value}`;
}

/** The user part with its escapes decoded; unchanged if they are not UTF-8. */
export function decodeUser(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    return user;
  }
}
