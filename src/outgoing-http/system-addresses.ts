import { lookup } from 'node:dns/promises';

/**
 * Resolves a name as the machine does (hosts file, search domains). libuv uses half of its threads at most for lookups, so a slow
 * name server cannot delay file writes.
 */
export async function resolveSystemName(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
