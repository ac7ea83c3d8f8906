import { decodeUser, parseUri } from '../../../sip/message/uri.ts';
import type { TrunkAddress } from '../../../sip/signalling/signalling.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';
import { isTerminationHost } from '../trunks/host-of-trunk.ts';
import { trunkAddress } from '../trunks/trunk-address.ts';
import type { DestinationPolicy } from './destination-ruling.ts';

const ELSEWHERE = 'only numbers are followed to another host than that of the trunk';

/** The next target of a redirected call. */
export interface RedirectTarget {
  /** In the form of the destination policy. */
  readonly destination: string;
  readonly trunk: TrunkAddress;
  /** User part. */
  readonly to: string;
}

/**
 * The target of a Contact that this trunk sent, or why it is not dialled. The call stays with the trunk that redirected it,
 * and its credentials with the trunk's host: numbers at other hosts go to the trunk, other users are not followed there.
 */
export function redirectTarget(
  contact: string,
  trunk: SipTrunkRecord,
  trunks: readonly SipTrunkRecord[],
  policy: DestinationPolicy,
): RedirectTarget | string {
  const ruling = policy(contact, { trunks, own: trunk });
  if (!ruling.ok) return ruling.reason;
  const { destination } = ruling;
  const own = trunkAddress(trunk);
  if (destination.startsWith('+')) return { destination, trunk: own, to: destination };
  const uri = parseUri(destination);
  if (uri === null || uri.scheme !== 'sip' || uri.user === null) return 'it is not a SIP URI with a user part';
  const to = decodeUser(uri.user);
  if (isTerminationHost(uri.host, trunk)) return { destination, trunk: { ...own, port: uri.port ?? own.port }, to };
  return to.startsWith('+') ? { destination: to, trunk: own, to } : ELSEWHERE;
}
