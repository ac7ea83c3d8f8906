import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';

/**
 * Resolves a name as the machine does (hosts file, search domains). libuv uses half of its threads at most for lookups, so a slow
 * name server cannot delay file writes.
 */
export async function resolveSystemName(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}

/** Addresses of this machine's interfaces. */
export function localAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
