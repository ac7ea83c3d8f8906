import { getListValues } from '../../../sip/message/headers.ts';
import { parseNameAddress } from '../../../sip/message/name-address.ts';
import { decodeUser, parseUri } from '../../../sip/message/uri.ts';
import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import { e164 } from './e164.ts';

const IDENTITY = 'P-Asserted-Identity';
/** Privacy values with which the caller withholds the asserted identity (RFC 3325 §9.3, RFC 3323 §4.2). */
const WITHHOLDING = ['id', 'header', 'user'];

/**
 * The caller's number as E.164; null for an anonymous one. From holds what the caller wrote. A trunk that the service trusts (RFC 3325 §9.1)
 * states in P-Asserted-Identity what its network knows: it counts before From, unless the caller asked for privacy.
 *
 * @param isTrusted the INVITE is proved to come from a trunk
 */
export function callerNumber(invite: Pick<InboundInvite, 'caller' | 'header'>, isTrusted: boolean): string | null {
  return (isTrusted ? assertedNumber(invite) : null) ?? e164(invite.caller);
}

function assertedNumber(invite: Pick<InboundInvite, 'header'>): string | null {
  const privacy = (invite.header('Privacy') ?? '').toLowerCase().split(/[;,\s]+/);
  const value = invite.header(IDENTITY);
  if (value === null || WITHHOLDING.some((word) => privacy.includes(word))) return null;
  // At most a SIP and a tel URI (RFC 3325 §9.1).
  const numbers = getListValues([{ name: IDENTITY, value }], IDENTITY).map((identity) => {
    const uri = parseUri(parseNameAddress(identity)?.uri ?? '');
    if (uri === null) return null;
    const user = uri.scheme === 'tel' ? uri.number : decodeUser(uri.user ?? '');
    return e164(user.replace(/;.*$/s, ''));
  });
  return numbers.find((number) => number !== null) ?? null;
}
