import { isIPv6 } from 'node:net';
import { ipv6Groups } from './ip-address.ts';

/** 16-bit groups of an IPv6 address that identify its /64 network. */
const NETWORK_GROUPS = 4;

/**
 * The unit for rate limits: for IPv6 the /64 network, in which a host may use any address (RFC 4291 §2.5.1,
 * RFC 6177); for IPv4 the address itself.
 * @param address as the system writes it (RFC 5952).
 */
export function sourceNetworkOf(address: string): string {
  // An IPv4-mapped address is a single host.
  if (!isIPv6(address) || address.includes('.')) return address;
  const network = ipv6Groups(address).slice(0, NETWORK_GROUPS);
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}
