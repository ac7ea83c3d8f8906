import { AddressSet } from '../../../base/network/address-set.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

/**
 * `known`: the source may call, over these trunks; an organization without trunks has none. `unknown`: it may not call.
 * `must_authenticate`: it may call with the username and password of one of these trunks.
 */
export type SourceStanding<T> =
  | { readonly type: 'known'; readonly trunks: readonly T[] }
  | { readonly type: 'unknown' }
  | { readonly type: 'must_authenticate'; readonly trunks: readonly T[] };

type SourceRules = Pick<SipTrunkRecord, 'allowedAddresses' | 'username' | 'passwordSealed' | 'register'>;

/**
 * Relates a source address to the trunks of an organization. A trunk that lists addresses takes calls from these alone. A trunk
 * without a list takes calls from anywhere. It requires its password, if it has one; not if it registers, because a
 * registrar answers no challenge. An organization without trunks takes calls from anywhere: by default the SIP port is reachable
 * from this machine alone.
 */
export function sourceStanding<T extends SourceRules>(address: string, trunks: readonly T[]): SourceStanding<T> {
  const listing = trunks.filter(({ allowedAddresses }) => new AddressSet(allowedAddresses).has(address));
  if (trunks.length === 0 || listing.length > 0) return { type: 'known', trunks: listing };
  const open = trunks.filter(({ allowedAddresses }) => allowedAddresses.length === 0);
  if (open.length === 0) return { type: 'unknown' };
  const withoutPassword = open.filter((trunk) => !requiresPassword(trunk));
  if (withoutPassword.length > 0) return { type: 'known', trunks: withoutPassword };
  return { type: 'must_authenticate', trunks: open };
}

function requiresPassword({ username, passwordSealed, register }: SourceRules): boolean {
  return username !== null && passwordSealed !== null && !register;
}
