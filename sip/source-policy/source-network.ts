import { isIPv6 } from 'node:net';
import { ipv6Groups } from '../../base/network/ip-address.ts';

/** The half of an address that names its network. */
const NETWORK_GROUPS = 4;

/**
 * The unit that rate limits apply to. For IPv6 the /64 network, in which a host may take any address (RFC 4291 §2.5.1,
 * RFC 6177); for IPv4 the address itself.
 * @param address as the system writes it (RFC 5952).
 */
export function sourceNetworkOf(address: string): string {
  // An IPv4-mapped address is a single host.
  if (!isIPv6(address) || address.includes('.')) return address;
  const network = ipv6Groups(address).slice(0, NETWORK_GROUPS);
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}
