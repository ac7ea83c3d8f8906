import { masterKeyBytes, SRTP_SUITES, type SrtpSuite } from '../rtp/srtp/srtp-suite.ts';

/** One usable `a=crypto` line (RFC 4568 §9.1). */
export interface CryptoAttribute {
  readonly tag: number;
  readonly suite: SrtpSuite;
  /** Master key and master salt. */
  readonly key: Uint8Array;
}

interface ParsedAttribute {
  readonly id: number;
  readonly suite: string;
  readonly config: string;
  readonly sessionConfig?: string;
}

const INLINE = /^inline:([A-Za-z0-9+/]+={0,2})(?:\|(?:2\^)?\d+)?$/;

/**
 * Null if unsupported: another suite, a wrong key length, several keys, a key identifier (MKI), or session parameters
 * other than the window size and optional ones (`-`, RFC 4568 §6.3). The lifetime is ignored, since no call sends 2^20
 * packets, the shortest lifetime in use.
 */
export function readCryptoAttribute({ id, suite, config, sessionConfig }: ParsedAttribute): CryptoAttribute | null {
  if (!isSuite(suite) || !(id >= 0) || (sessionConfig !== undefined && !/^(?:WSH=\d+|-.+)$/.test(sessionConfig))) {
    return null;
  }
  const [, encoded] = INLINE.exec(config) ?? [];
  if (encoded === undefined) return null;
  const key = Uint8Array.from(Buffer.from(encoded, 'base64'));
  return key.length === masterKeyBytes(suite) ? { tag: Number(id), suite, key } : null;
}

/** The attribute in the form of `sdp-transform`. */
export function writeCryptoAttribute({ tag, suite, key }: CryptoAttribute): ParsedAttribute {
  return { id: tag, suite, config: `inline:${Buffer.from(key).toString('base64')}` };
}

function isSuite(name: string): name is SrtpSuite {
  return Object.hasOwn(SRTP_SUITES, name);
}
