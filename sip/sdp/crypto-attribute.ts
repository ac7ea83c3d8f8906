import { masterKeyBytes, SRTP_SUITES, type SrtpSuite } from '../rtp/srtp/srtp-suite.ts';

/** One `a=crypto` line (RFC 4568 §9.1) that we can use. */
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
 * Null for what we do not speak: another suite, a key of another length, several keys or a key identifier (MKI), and session
 * parameters, of which all but the window's size and those marked `-` must be understood (RFC 4568 §6.3). A lifetime is
 * read over: no call of ours comes near 2^20 packets, the least that is in use.
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

/** In the parser's terms, to be written. */
export function writeCryptoAttribute({ tag, suite, key }: CryptoAttribute): ParsedAttribute {
  return { id: tag, suite, config: `inline:${Buffer.from(key).toString('base64')}` };
}

function isSuite(name: string): name is SrtpSuite {
  return Object.hasOwn(SRTP_SUITES, name);
}
