import { masterKeyBytes, SRTP_SUITE_PREFERENCE } from '../rtp/srtp/srtp-suite.ts';
import type { CryptoAttribute } from './crypto-attribute.ts';

/**
 * Whether media is encrypted. `off`: never. `optional`: if the peer supports it; our offer is RTP/AVP with keys,
 * which other peers ignore. `required`: a peer without keys is refused.
 */
export type SrtpPolicy = 'off' | 'optional' | 'required';

/** Our keys of one call. They stay the same in every description, so that its streams continue. */
export interface LocalSrtp {
  readonly policy: SrtpPolicy;
  /** As offered, in order of preference. */
  readonly keys: readonly CryptoAttribute[];
}

/** @param randomBytes returns `count` unpredictable bytes */
export function createLocalSrtp(policy: SrtpPolicy, randomBytes: (count: number) => Uint8Array): LocalSrtp {
  const keys = SRTP_SUITE_PREFERENCE.map((suite, i) => ({
    tag: i + 1,
    suite,
    key: randomBytes(masterKeyBytes(suite)),
  }));
  return { policy, keys };
}
