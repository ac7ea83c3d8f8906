import { isIP } from 'node:net';
import { AddressSet } from '../../../base/network/address-set.ts';
import { embeddedIpv4 } from '../../../base/network/ip-address.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';
import { trunkAddress } from './trunk-address.ts';

/** Whether a SIP host is the trunk's, at any port: its `termination_uri`, or one of its addresses. */
export function isHostOf(
  text: string,
  trunk: Pick<SipTrunkRecord, 'terminationUri' | 'transport' | 'allowedAddresses'>,
): boolean {
  const host = canonicalHost(text);
  if (isTerminationHost(host, trunk)) return true;
  return isIP(host) !== 0 && new AddressSet(trunk.allowedAddresses).has(host);
}

/** Whether a SIP host is that of the trunk's `termination_uri`. */
export function isTerminationHost(text: string, trunk: Pick<SipTrunkRecord, 'terminationUri' | 'transport'>): boolean {
  return canonicalHost(text) === canonicalHost(trunkAddress(trunk).host);
}

/**
 * In lower case, without brackets and the dot of an absolute name. IP addresses in one way of writing: as the IPv4 address that they reach, if
 * they reach one.
 */
function canonicalHost(host: string): string {
  const bare = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return isIP(bare) === 6 ? (embeddedIpv4(bare) ?? new URL(`http://[${bare}]`).hostname.slice(1, -1)) : bare;
}
