import { isIPv6 } from 'node:net';
import { ALLOW } from '../message/capabilities.ts';
import { checkCustomHeaders } from '../message/custom-headers.ts';
import { formatNameAddress, parseNameAddress } from '../message/name-address.ts';
import { formatUri, parseUri } from '../message/uri.ts';
import type { InviteRequest } from './signalling.ts';
import { SignallingError } from './signalling-error.ts';

/** An INVITE as the library is given it. */
export interface OutboundRequest {
  readonly uri: string;
  readonly headers: Record<string, string>;
}

/**
 * Request-URI and headers of an outbound call. From, To and similar headers may be overridden; the server adds tags,
 * and the Request-URI follows the dialled number alone.
 * @param localHost our address in From.
 * @throws SignallingError `invalid_address` or `invalid_header`.
 */
export function makeOutboundRequest(order: InviteRequest, sipCallId: string, localHost: string): OutboundRequest {
  const { host, port, transport } = order.trunk;
  const target = { scheme: 'sip', password: null, host: bracketed(host), port, headers: [] } as const;
  const parameters = transport === 'udp' ? [] : [{ name: 'transport', value: transport }];
  const uri = checkedUri(formatUri({ ...target, user: encodeUser(order.to), parameters }));
  const callee = checkedUri(formatUri({ ...target, port: null, user: encodeUser(order.to), parameters: [] }));
  const caller = checkedUri(`sip:${encodeUser(order.from)}@${bracketed(localHost)}`);
  const overrides = overridesOf(order.headers);
  return {
    uri,
    headers: {
      'Call-ID': sipCallId,
      From: overrides.get('from') ?? `<${caller}>`,
      To: overrides.get('to') ?? `<${callee}>`,
      'Content-Type': 'application/sdp',
      Allow: ALLOW,
      ...Object.fromEntries(Object.entries(order.headers).filter(([name]) => !overrides.has(name.toLowerCase()))),
    },
  };
}

/** From and To as given, less a tag of their own. */
function overridesOf(headers: InviteRequest['headers']): ReadonlyMap<string, string> {
  const check = checkCustomHeaders(headers);
  if (!check.ok) {
    const faults = check.faults.map(({ field, message }) => `${field ?? 'headers:'} ${message}`);
    throw new SignallingError('invalid_header', faults.join('; '));
  }
  const overrides = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const address = lower === 'from' || lower === 'to' ? parseNameAddress(value) : null;
    if (address === null) continue;
    const parameters = address.parameters.filter((parameter) => parameter.name.toLowerCase() !== 'tag');
    overrides.set(lower, formatNameAddress({ ...address, parameters }));
  }
  return overrides;
}

export function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** Escapes characters that are unsafe in a user part (RFC 3261 §19.1.2). */
export function encodeUser(user: string): string {
  if (user === '' || !user.isWellFormed())
    throw new SignallingError('invalid_address', 'no number to call or call from');
  return user.replace(/[^A-Za-z0-9\-_.!~*'()+]/gu, encodeURIComponent);
}

export function checkedUri(text: string): string {
  if (parseUri(text) === null) throw new SignallingError('invalid_address', 'the trunk has no usable address');
  return text;
}
