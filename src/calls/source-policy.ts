import { BlockList, isIPv6 } from 'node:net';
import type { SipTrunkRecord } from '../storage/sip-trunk-repository.ts';

/**
 * Whether a peer at this address may call this organization: one of its trunks lists the address, or has no list and so
 * takes calls from anywhere, as does an organization without trunks. Who reaches the SIP port is the operator's to say; by
 * default that is this machine alone.
 */
export function sourceAllowed(address: string, trunks: readonly Pick<SipTrunkRecord, 'allowedAddresses'>[]): boolean {
  return trunks.length === 0 || trunks.some(({ allowedAddresses }) => listed(address, allowedAddresses));
}

function listed(address: string, entries: readonly string[]): boolean {
  if (entries.length === 0) return true;
  const allowed = new BlockList();
  for (const entry of entries) {
    const [network = '', prefix] = entry.split('/');
    const family = isIPv6(network) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) allowed.addAddress(network, family);
    else allowed.addSubnet(network, Number(prefix), family);
  }
  return allowed.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
