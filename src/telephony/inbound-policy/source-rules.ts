import { AddressSet } from '../../../base/network/address-set.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

/** `known`: as somebody who may come by these trunks. `must_prove`: with the username and password of one of these. */
export type SourceStanding<T> =
  | { readonly type: 'known'; readonly trunks: readonly T[] }
  | { readonly type: 'unknown' }
  | { readonly type: 'must_authenticate'; readonly trunks: readonly T[] };

type SourceRules = Pick<SipTrunkRecord, 'allowedAddresses' | 'username' | 'passwordSealed' | 'register'>;

/**
 * How a peer at this address stands to an organization with these trunks. It is known where one of them lists the address.
 * A trunk without a list takes calls from anywhere: as they come, where it has no password, or registers (its registrar
 * sends them, which answers no challenge); else from those who prove its password. An organization without trunks takes
 * calls from anywhere. Who reaches the SIP port is the operator's to say; by default that is this machine alone.
 */
export function sourceStanding<T extends SourceRules>(address: string, trunks: readonly T[]): SourceStanding<T> {
  const listing = trunks.filter(({ allowedAddresses }) => new AddressSet(allowedAddresses).has(address));
  if (trunks.length === 0 || listing.length > 0) return { type: 'known', trunks: listing };
  const open = trunks.filter(({ allowedAddresses }) => allowedAddresses.length === 0);
  if (open.length === 0) return { type: 'unknown' };
  const unasked = open.filter((trunk) => !asksForProof(trunk));
  if (unasked.length > 0) return { type: 'known', trunks: unasked };
  return { type: 'must_authenticate', trunks: open };
}

function asksForProof({ username, passwordSealed, register }: SourceRules): boolean {
  return username !== null && passwordSealed !== null && !register;
}
