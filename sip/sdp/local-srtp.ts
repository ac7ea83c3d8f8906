import { masterKeyBytes, type SrtpSuite } from '../rtp/srtp/srtp-suite.ts';
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

/** In order of preference. Every implementation has the first suite, which is also the cheapest here. */
const SUITES: readonly SrtpSuite[] = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32', 'AEAD_AES_128_GCM'];

/** @param randomBytes returns `count` unpredictable bytes */
export function createLocalSrtp(policy: SrtpPolicy, randomBytes: (count: number) => Uint8Array): LocalSrtp {
  const keys = SUITES.map((suite, i) => ({ tag: i + 1, suite, key: randomBytes(masterKeyBytes(suite)) }));
  return { policy, keys };
}
