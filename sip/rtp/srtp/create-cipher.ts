import { AesCmCipher } from './aes-cm-cipher.ts';
import { AesGcmCipher } from './aes-gcm-cipher.ts';
import { deriveSessionKeys } from './key-derivation.ts';
import type { PacketCipher } from './packet-cipher.ts';
import { SRTP_SUITES, type SrtpSuite } from './srtp-suite.ts';

/** Creates the cipher of one direction and protocol. Throws a RangeError if the key's length does not fit the suite. */
export function createPacketCipher(suite: SrtpSuite, master: Uint8Array, protocol: 'rtp' | 'rtcp'): PacketCipher {
  const keys = deriveSessionKeys(suite, master, protocol);
  const { transform, tagBytes, rtcpTagBytes } = SRTP_SUITES[suite];
  if (transform === 'aes_gcm') return new AesGcmCipher(keys, protocol);
  return new AesCmCipher(keys, protocol === 'rtp' ? tagBytes : rtcpTagBytes);
}
