import type { PortRange } from '../../../sip/media/udp/port-pool.ts';

/**
 * Divides a port range between hosts: no pair of ports belongs to two. Null if there are fewer pairs than hosts.
 *
 * @param range begins at an even port
 */
export function splitPortRange({ first, last }: PortRange, hosts: number): readonly PortRange[] | null {
  const pairs = Math.floor((last - first + 1) / 2);
  if (pairs < hosts) return null;
  const startOf = (host: number) => first + 2 * Math.floor((pairs * host) / hosts);
  return Array.from({ length: hosts }, (_, host) => ({ first: startOf(host), last: startOf(host + 1) - 1 }));
}
