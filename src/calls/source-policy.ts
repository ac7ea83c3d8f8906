import { BlockList, isIPv6 } from 'node:net';
import type { SipTrunkRecord } from '../storage/sip-trunk-repository.ts';

/**
 * Whether a peer at this address may call this organization: one of its trunks lists the address, or none of them lists
 * any (then who reaches the SIP port may call; by default that is this machine alone).
 */
export function sourceAllowed(address: string, trunks: readonly Pick<SipTrunkRecord, 'allowedAddresses'>[]): boolean {
  const lists = trunks.flatMap((trunk) => trunk.allowedAddresses);
  if (lists.length === 0) return true;
  const allowed = new BlockList();
  for (const entry of lists) {
    const [network = '', prefix] = entry.split('/');
    const family = isIPv6(network) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) allowed.addAddress(network, family);
    else allowed.addSubnet(network, Number(prefix), family);
  }
  return allowed.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
