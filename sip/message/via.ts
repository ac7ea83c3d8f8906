import { getListValues } from './headers.ts';
import { formatParameters, getParameter, type Parameter, parseParameters } from './parameters.ts';
import type { SipHeader } from './sip-message.ts';
import { isToken, trimBlanks } from './token.ts';
import { parseHostPort } from './uri.ts';

/** One element of Via (RFC 3261 §20.42). */
export interface Via {
  /** Version of the protocol; `2.0` for every supported peer. */
  readonly version: string;
  /** Upper case: UDP, TCP, TLS, WS, or another name. */
  readonly transport: string;
  /** Sent-by. */
  readonly host: string;
  readonly port: number | null;
  readonly parameters: readonly Parameter[];
}

/** Marks a branch after RFC 3261 §8.1.1.7; other branches do not identify a transaction. */
export const BRANCH_COOKIE = 'z9hG4bK';

export function parseVia(value: string): Via | null {
  const slash = value.indexOf('/');
  const secondSlash = value.indexOf('/', slash + 1);
  if (slash < 0 || secondSlash < 0) return null;
  const protocol = trimBlanks(value.slice(0, slash));
  const version = trimBlanks(value.slice(slash + 1, secondSlash));
  const rest = trimBlanks(value.slice(secondSlash + 1));
  const transport = /^[^ \t]+/.exec(rest)?.[0] ?? '';
  const sentBy = rest.slice(transport.length);
  const semicolon = sentBy.indexOf(';');
  const address = parseHostPort(joinSentBy(semicolon < 0 ? sentBy : sentBy.slice(0, semicolon)));
  const parameters = parseParameters(semicolon < 0 ? '' : sentBy.slice(semicolon));
  if (protocol.toUpperCase() !== 'SIP' || !isToken(version) || !isToken(transport)) return null;
  if (address === null || parameters === null) return null;
  return { version, transport: transport.toUpperCase(), ...address, parameters };
}

/** Blanks are allowed around the colon before the port only. */
function joinSentBy(text: string): string {
  const colon = text.lastIndexOf(':');
  const hasPort = colon > text.lastIndexOf(']');
  return hasPort ? `${trimBlanks(text.slice(0, colon))}:${trimBlanks(text.slice(colon + 1))}` : trimBlanks(text);
}

export function formatVia(via: Via): string {
  const port = via.port === null ? '' : `:${via.port}`;
  return `SIP/${via.version}/${via.transport} ${via.host}${port}${formatParameters(via.parameters)}`;
}

/** All Vias from the top down; null if one is malformed or none is present. */
export function parseVias(headers: readonly SipHeader[]): [Via, ...Via[]] | null {
  const vias = getListValues(headers, 'Via').map(parseVia);
  const wellFormed = vias.filter((via) => via !== null);
  const [top, ...others] = wellFormed;
  return top === undefined || wellFormed.length < vias.length ? null : [top, ...others];
}

/** null without a branch. The transaction layer checks for `BRANCH_COOKIE`. */
export function branchOf(via: Via): string | null {
  return getParameter(via.parameters, 'branch');
}

/** The address that the next hop saw (RFC 3261 §18.2.1). */
export function receivedOf(via: Via): string | null {
  return getParameter(via.parameters, 'received');
}

/** RFC 3581: the port that the next hop filled in, `requested` for a bare `;rport`, null without `rport`. */
export function rportOf(via: Via): number | 'requested' | null {
  const value = getParameter(via.parameters, 'rport');
  if (value === null) return null;
  const port = Number(value);
  return value !== '' && Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : 'requested';
}
