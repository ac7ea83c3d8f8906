import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';

/**
 * Resolves a name as the machine itself would (hosts file, search domains). libuv lets name look-ups use only half of
 * its threads, so a slow name server cannot hold up the writing of files.
 */
export async function resolveSystemName(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}

/** Addresses of this machine's interfaces. */
export function localAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
