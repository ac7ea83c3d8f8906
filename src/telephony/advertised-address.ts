import { isIP } from 'node:net';
import { withTimeout } from '../../base/time/with-timeout.ts';
import type { TrunkAddress } from '../../sip/signalling/signalling.ts';
import { OwnAddress } from '../../sip/transport/own-address.ts';
import type { Configuration } from '../configuration/configuration.ts';

/** Bound of a name lookup: a slow name server must not delay a call. The trunk then counts as outside the local networks. */
const LOOK_UP_MS_MAX = 2_000;

/** The addresses that our SDP names for RTP. */
export interface AdvertisedAddress {
  /** For peers of unknown address: the external address, otherwise the bound one, otherwise the machine's first public address. */
  readonly general: string;
  /**
   * The address for a peer, of its IP family if RTP is bound to both, and then the one of the other family.
   * @param peer an address literal; null: unknown.
   */
  toward(peer: string | null): readonly [string, ...string[]];
  /** The address of a trunk's host; null if it is unknown or does not affect our SDP. Never rejects. */
  peerOf(trunk: Pick<TrunkAddress, 'host'>): Promise<string | null>;
}

/** @param resolve returns the addresses of a host name. */
export function advertisedAddress(
  { sip, rtp }: Pick<Configuration, 'sip' | 'rtp'>,
  resolve: (host: string) => Promise<readonly string[]>,
): AdvertisedAddress {
  const { externalAddress: external, localNetworks } = sip;
  const own = new OwnAddress({ bind: rtp.bind, external, localNetworks });
  const dependsOnPeer = own.all.length > 1 || (external !== null && localNetworks.length > 0);
  return {
    general: own.primary,
    toward: (peer) => own.allForPeer(peer ?? ''),
    peerOf: async ({ host }) => {
      const bare = host.replace(/^\[|\]$/g, '');
      if (!dependsOnPeer) return null;
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
