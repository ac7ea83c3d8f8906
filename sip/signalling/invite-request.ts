import { isIPv6 } from 'node:net';
import { ALLOW, SUPPORTED } from '../message/capabilities.ts';
import { checkCustomHeaders } from '../message/custom-headers.ts';
import { formatNameAddress, parseNameAddress } from '../message/name-address.ts';
import { formatUri, parseUri } from '../message/uri.ts';
import { sessionExpiresHeaders } from '../session-timer/session-interval.ts';
import { headersByName } from './headers-by-name.ts';
import type { InviteRequest } from './signalling.ts';
import { SignallingError } from './signalling-error.ts';

/** An INVITE, as passed to the library. */
export interface OutgoingInvite {
  readonly uri: string;
  readonly headers: Record<string, string>;
  /** SIP URI of the server that gets it; absent: the one that the Request-URI names. */
  readonly proxy?: string;
}

/**
 * Request-URI and headers of an outbound call. Custom headers may override From and To, but not the Request-URI. The
 * server adds the tags.
 * @param localHost our address in From.
 * @throws SignallingError `invalid_address` or `invalid_header`.
 */
export function makeInvite(invite: InviteRequest, sipCallId: string, localHost: string): OutgoingInvite {
  const { host, port, transport } = invite.trunk;
  const target = { scheme: 'sip', password: null, host: bracketed(host), port, headers: [] } as const;
  const parameters = transport === 'udp' ? [] : [{ name: 'transport', value: transport }];
  const uri = checkedUri(formatUri({ ...target, user: encodeUser(invite.to), parameters }));
  const callee = checkedUri(formatUri({ ...target, port: null, user: encodeUser(invite.to), parameters: [] }));
  const { fromUser = null, fromDomain } = invite;
  const fromHost = bracketed(fromDomain ?? localHost);
  const caller = checkedUri(`sip:${encodeUser(fromUser ?? invite.from)}@${fromHost}`);
  // The identity that a proxy of the trunk may assert (RFC 3325 §9.2), since From does not hold the number.
  const preferred = checkedUri(`sip:${encodeUser(invite.from)}@${fromHost}`);
  const overrides = overridesOf(invite.headers);
  return {
    uri,
    headers: {
      'Call-ID': sipCallId,
      From: overrides.get('from') ?? `<${caller}>`,
      To: overrides.get('to') ?? `<${callee}>`,
      ...(fromUser !== null && !hasIdentity(invite.headers) && { 'P-Preferred-Identity': `<${preferred}>` }),
      'Content-Type': 'application/sdp',
      Allow: ALLOW,
      Supported: SUPPORTED.join(', '),
      ...headersByName(sessionExpiresHeaders(null)),
      ...Object.fromEntries(Object.entries(invite.headers).filter(([name]) => !overrides.has(name.toLowerCase()))),
    },
  };
}

function hasIdentity(headers: InviteRequest['headers']): boolean {
  return Object.keys(headers).some((name) => /^p-(?:asserted|preferred)-identity$/i.test(name));
}

/** From and To of the custom headers, without their tags. */
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
