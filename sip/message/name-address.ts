import { getListValues } from './headers.ts';
import { formatParameters, getParameter, type Parameter, parseParameters, quote, unquote } from './parameters.ts';
import type { SipHeader } from './sip-message.ts';
import { trimBlanks } from './token.ts';
import { isUri } from './uri.ts';

/** One value of From, To, Contact, Route, Record-Route and their like (RFC 3261 §20.10, §25.1 name-addr). */
export interface NameAddress {
  /** Unquoted; null without one. */
  readonly display: string | null;
  /** The URI as written; `parseUri` reads it. */
  readonly uri: string;
  /** The header's parameters. Those inside the angle brackets belong to the URI. */
  readonly parameters: readonly Parameter[];
}

/** @returns null unless the value is a name-addr or addr-spec with well-formed parameters. */
export function parseNameAddress(value: string): NameAddress | null {
  const text = trimBlanks(value);
  const afterDisplay = text.startsWith('"') ? endOfQuoted(text) : 0;
  if (afterDisplay < 0) return null;
  const open = text.indexOf('<', afterDisplay);
  if (open < 0) return parseBareAddress(text);
  const close = text.indexOf('>', open);
  const display = readDisplay(trimBlanks(text.slice(0, open)));
  const uri = text.slice(open + 1, close);
  const parameters = parseParameters(text.slice(close + 1));
  if (close < 0 || display === undefined || !isUri(uri) || parameters === null) return null;
  return { display, uri, parameters };
}

/** Without brackets all parameters belong to the header, and the URI contains no comma, `?` or semicolon (§20.10). */
function parseBareAddress(text: string): NameAddress | null {
  const semicolon = text.indexOf(';');
  const uri = trimBlanks(semicolon < 0 ? text : text.slice(0, semicolon));
  const parameters = parseParameters(semicolon < 0 ? '' : text.slice(semicolon));
  if (/[,?]/.test(uri) || !isUri(uri) || parameters === null) return null;
  return { display: null, uri, parameters };
}

/** `undefined` for an invalid display name: neither a quoted string nor words. */
function readDisplay(text: string): string | null | undefined {
  if (text === '') return null;
  if (text.startsWith('"')) return endOfQuoted(text) === text.length ? unquote(text) : undefined;
  // Peers write more than tokens without quotes, so only ambiguous characters are refused.
  return /[",;<>\\]/.test(text) ? undefined : text;
}

/** The index after the closing quote of the quoted string at the start of the text; -1 without a closing quote. */
function endOfQuoted(text: string): number {
  for (let at = 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return -1;
}

export function formatNameAddress(address: NameAddress): string {
  const display = address.display === null ? '' : `${quote(address.display)} `;
  return `${display}<${address.uri}>${formatParameters(address.parameters)}`;
}

/** Every address of a list header in order; null if one is malformed. */
export function parseAddressList(headers: readonly SipHeader[], name: string): NameAddress[] | null {
  const addresses: NameAddress[] = [];
  for (const value of getListValues(headers, name)) {
    const address = parseNameAddress(value);
    if (address === null) return null;
    addresses.push(address);
  }
  return addresses;
}

/** The tag of a From or To value; null without one, or if the value is malformed. */
export function tagOf(value: string): string | null {
  const address = parseNameAddress(value);
  return address === null ? null : getParameter(address.parameters, 'tag') || null;
}
