import { networkInterfaces } from 'node:os';

/** Addresses of this machine's interfaces. */
export function localAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
