import { type BlockList, isIP } from 'node:net';

/** A block of addresses in CIDR notation (RFC 4632, RFC 4291 section 2.3). */
export interface AddressRange {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  /** Leading bits that an address shares with the range. */
  readonly prefixLength: number;
}

/**
 * Reads `10.0.0.0/8`, `fd00::/8`, or one address, which then is its own range.
 * @throws {RangeError} naming the text, where it is neither.
 */
export function parseAddressRange(text: string): AddressRange {
  const [address = '', prefix, ...rest] = text.trim().split('/');
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const prefixLength = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  const wellFormed = version !== 0 && rest.length === 0 && !address.includes('%') && prefixLength <= bits;
  if (!wellFormed) throw new RangeError(`expected an address or a CIDR range, got «${text}»`);
  return { address, family: version === 4 ? 'ipv4' : 'ipv6', prefixLength };
}

/**
 * Reads the comma-separated list of `HTTP_ALLOW_ADDRESSES`; an empty text is an empty list.
 * @throws {RangeError} naming the first entry that is no range.
 */
export function parseAddressRanges(text: string): readonly AddressRange[] {
  return text
    .split(',')
    .filter((entry) => entry.trim() !== '')
    .map(parseAddressRange);
}

/** True where the range is a single address. */
export function isSingleAddress(range: AddressRange): boolean {
  return range.prefixLength === (range.family === 'ipv4' ? 32 : 128);
}

export function addRange(list: BlockList, range: AddressRange): void {
  list.addSubnet(range.address, range.prefixLength, range.family);
}
