import { isIP } from 'node:net';
import { withTimeout } from '../../base/time/with-timeout.ts';
import type { TrunkAddress } from '../../sip/signalling/signalling.ts';
import { OwnAddress } from '../../sip/transport/own-address.ts';
import type { Configuration } from '../configuration/configuration.ts';

/** A name server that takes longer does not hold up a call: its trunk is then one outside. */
const LOOK_UP_MS_MAX = 2_000;

/** Where peers are told to send RTP. */
export interface AdvertisedAddress {
  /** For whoever is nowhere in particular: the external address, else the bound one, else this machine's first public face. */
  readonly general: string;
  /** @param peer an address literal; null: nobody knows it. */
  toward(peer: string | null): string;
  /** The address that a trunk's host is at, where that could matter; null: it does not, or nobody knows. Never rejects. */
  peerOf(trunk: Pick<TrunkAddress, 'host'>): Promise<string | null>;
}

/** @param resolve addresses of a host's name. */
export function advertisedAddress(
  { sip, rtp }: Pick<Configuration, 'sip' | 'rtp'>,
  resolve: (host: string) => Promise<readonly string[]>,
): AdvertisedAddress {
  const { externalAddress: external, localNetworks } = sip;
  const own = new OwnAddress({ bind: rtp.bind, external, localNetworks });
  return {
    general: own.primary,
    toward: (peer) => own.forPeer(peer ?? ''),
    peerOf: async ({ host }) => {
      const bare = host.replace(/^\[|\]$/g, '');
      if (external === null || localNetworks.length === 0) return null;
      if (isIP(bare) !== 0) return bare;
      const [first = null] = await withTimeout(
        resolve(bare).catch(() => []),
        LOOK_UP_MS_MAX,
        () => [],
      );
      return first;
    },
  };
}
