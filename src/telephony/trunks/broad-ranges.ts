import { type AddressRange, parseAddressRange } from '../../../base/network/address-range.ts';
import { AddressSet } from '../../../base/network/address-set.ts';

/**
 * The shortest prefixes that a trunk may list by itself. A hundred of them, the most of a trunk, are 0.15 % of IPv4. Carriers
 * publish ranges from /18 to /32, and get IPv6 allocations of /32 (RIPE-738 §5.1).
 */
const PREFIX_LENGTH_MIN = { ipv4: 16, ipv6: 32 } as const;

/** RFC 1918, RFC 4193 and loopback: no unknown source on the internet has such an address. */
const PRIVATE = ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'].map(parseAddressRange);

/**
 * Whether a range has so many addresses that a trunk cannot make them known sources. Sources in it may call the trunk's
 * organization, but stay unknown sources.
 * @param allowed `SIP_BROAD_RANGES`
 */
export function isBroad(text: string, allowed: readonly AddressRange[]): boolean {
  const range = parseAddressRange(text);
  if (range.prefixLength >= PREFIX_LENGTH_MIN[range.family]) return false;
  return ![...PRIVATE, ...allowed].some((outer) => contains(outer, range));
}

function contains(outer: AddressRange, inner: AddressRange): boolean {
  if (outer.family !== inner.family || outer.prefixLength > inner.prefixLength) return false;
  return new AddressSet([outer]).has(inner.address);
}
