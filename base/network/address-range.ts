import { isIP } from 'node:net';
import { withoutMapping } from './ip-address.ts';

/** Bits before the IPv4 address in an IPv4-mapped one (RFC 4291 §2.5.5.2). */
const MAPPING_BITS = 96;

/** A block of addresses in CIDR notation (RFC 4632, RFC 4291 §2.3). */
export interface AddressRange {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  /** Leading bits that all addresses of the range share. */
  readonly prefixLength: number;
}

/**
 * Reads `10.0.0.0/8` or `fd00::/8`. A single address is a range of one. IPv4-mapped addresses become a range of IPv4.
 * @throws {RangeError} quoting the text
 */
export function parseAddressRange(text: string): AddressRange {
  const [address = '', prefix, ...rest] = text.trim().split('/');
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const prefixLength = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  const wellFormed = version !== 0 && rest.length === 0 && !address.includes('%') && prefixLength <= bits;
  if (!wellFormed) throw new RangeError(`expected an address or a CIDR range, got «${text}»`);
  const plain = withoutMapping(address);
  if (plain !== address && prefixLength >= MAPPING_BITS) {
    return { address: plain, family: 'ipv4', prefixLength: prefixLength - MAPPING_BITS };
  }
  return { address, family: version === 4 ? 'ipv4' : 'ipv6', prefixLength };
}

/**
 * Reads ranges separated by commas. An empty text is an empty list.
 * @throws {RangeError} quoting the first invalid entry
 */
export function parseAddressRanges(text: string): readonly AddressRange[] {
  return text
    .split(',')
    .filter((entry) => entry.trim() !== '')
    .map(parseAddressRange);
}

/** The ranges in CIDR notation. */
export function textsOf(ranges: readonly AddressRange[]): readonly string[] {
  return ranges.map(({ address, prefixLength }) => `${address}/${prefixLength}`);
}

export function isSingleAddress(range: AddressRange): boolean {
  return range.prefixLength === (range.family === 'ipv4' ? 32 : 128);
}
