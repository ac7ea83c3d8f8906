import { createCipheriv } from 'node:crypto';
import { SRTP_SUITES, type SrtpSuite } from './srtp-suite.ts';

/** The session keys of one direction of one protocol, RTP or RTCP. */
export interface SessionKeys {
  readonly encryption: Uint8Array;
  readonly authentication: Uint8Array;
  readonly salt: Uint8Array;
}

/** Labels of RFC 3711 §4.3.1 and §4.3.2, in the order encryption, authentication, salt. */
const RTP_LABELS = [0, 1, 2] as const;
const RTCP_LABELS = [3, 4, 5] as const;
/** The label's position in the 112 bits that it is exclusive-ored into. */
const LABEL_BYTE = 7;

/**
 * Derives the session keys from a master key (RFC 3711 §4.3, key derivation rate 0). For GCM, the shorter salt is padded
 * with zeros (RFC 7714 §11).
 * @param master key and salt, concatenated
 * @throws RangeError if its length does not fit the suite
 */
export function deriveSessionKeys(suite: SrtpSuite, master: Uint8Array, protocol: 'rtp' | 'rtcp'): SessionKeys {
  const { keyBytes, saltBytes, authenticationKeyBytes } = SRTP_SUITES[suite];
  if (master.length !== keyBytes + saltBytes)
    throw new RangeError(`A key of ${suite} cannot have ${master.length} bytes`);
  const key = master.subarray(0, keyBytes);
  const salt = master.subarray(keyBytes);
  const [encryption, authentication, salting] = protocol === 'rtp' ? RTP_LABELS : RTCP_LABELS;
  return {
    encryption: derive(key, salt, encryption, keyBytes),
    authentication: derive(key, salt, authentication, authenticationKeyBytes),
    salt: derive(key, salt, salting, saltBytes),
  };
}

/** AES in counter mode over zeros: the key stream itself (RFC 3711 §4.3.3). */
export function derive(key: Uint8Array, salt: Uint8Array, label: number, length: number): Uint8Array {
  const counter = new Uint8Array(16);
  counter.set(salt);
  counter[LABEL_BYTE] = (counter[LABEL_BYTE] ?? 0) ^ label;
  return Uint8Array.from(createCipheriv('aes-128-ctr', key, counter).update(new Uint8Array(length)));
}
