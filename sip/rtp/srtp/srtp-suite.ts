/** The supported crypto suites of SDES (RFC 4568 §6.2, RFC 7714 §14.2). */
export type SrtpSuite = 'AES_CM_128_HMAC_SHA1_80' | 'AES_CM_128_HMAC_SHA1_32' | 'AEAD_AES_128_GCM';

export interface SrtpSuiteTraits {
  readonly transform: 'aes_cm' | 'aes_gcm';
  readonly keyBytes: 16;
  readonly saltBytes: 14 | 12;
  /** For HMAC-SHA1; 0 if the cipher authenticates. */
  readonly authenticationKeyBytes: 20 | 0;
  /** Length of the authentication tag of an RTP packet. */
  readonly tagBytes: 10 | 4 | 16;
  /** Length of the tag of an RTCP packet. Only RTP uses the short tag (RFC 4568 §6.2.2). */
  readonly rtcpTagBytes: 10 | 16;
}

const AES_CM = { transform: 'aes_cm', keyBytes: 16, saltBytes: 14, authenticationKeyBytes: 20 } as const;

export const SRTP_SUITES: Readonly<Record<SrtpSuite, SrtpSuiteTraits>> = {
  AES_CM_128_HMAC_SHA1_80: { ...AES_CM, tagBytes: 10, rtcpTagBytes: 10 },
  AES_CM_128_HMAC_SHA1_32: { ...AES_CM, tagBytes: 4, rtcpTagBytes: 10 },
  AEAD_AES_128_GCM: {
    transform: 'aes_gcm',
    keyBytes: 16,
    saltBytes: 12,
    authenticationKeyBytes: 0,
    tagBytes: 16,
    rtcpTagBytes: 16,
  },
};

/** The suites that we offer, in order of preference. Every implementation has the first one, which is also the cheapest here. */
export const SRTP_SUITE_PREFERENCE: readonly SrtpSuite[] = [
  'AES_CM_128_HMAC_SHA1_80',
  'AES_CM_128_HMAC_SHA1_32',
  'AEAD_AES_128_GCM',
];

/** The maximum growth of a packet: the tag of GCM and the index of SRTCP. */
export const SRTP_GROWTH_BYTES_MAX = 20;

/** The negotiated suite and keys: master key and master salt, concatenated. */
export interface SrtpParameters {
  readonly suite: SrtpSuite;
  /** For packets that we send. */
  readonly localKey: Uint8Array;
  /** For packets of the peer. */
  readonly remoteKey: Uint8Array;
}

/** Length of a master key with its salt. */
export function masterKeyBytes(suite: SrtpSuite): number {
  return SRTP_SUITES[suite].keyBytes + SRTP_SUITES[suite].saltBytes;
}
