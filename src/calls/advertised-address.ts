import { networkInterfaces } from 'node:os';
import type { Configuration } from '../configuration.ts';

const ANY = new Set(['0.0.0.0', '::']);

/** Where peers are told to send RTP: the external address, else the bound one, else this machine's first public face. */
export function advertisedAddress({ sip, rtp }: Pick<Configuration, 'sip' | 'rtp'>): string {
  if (sip.externalAddress !== null) return sip.externalAddress;
  if (!ANY.has(rtp.bind)) return rtp.bind;
  const family = rtp.bind === '::' ? 'IPv6' : 'IPv4';
  const faces = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  const face = faces.find((entry) => entry.family === family && !entry.internal);
  return face?.address ?? (family === 'IPv6' ? '::1' : '127.0.0.1');
}
