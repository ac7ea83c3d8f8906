import { type AddressRange, parseAddressRange } from '../../../base/network/address-range.ts';
import { AddressSet } from '../../../base/network/address-set.ts';
import { embeddedIpv4 } from '../../../base/network/ip-address.ts';

/**
 * The shortest prefixes that a trunk may list by itself. A hundred of them, the most of a trunk, are 0.15 % of IPv4. Carriers
 * publish ranges from /18 to /32, and get IPv6 allocations of /32 (RIPE-738 §5.1).
 */
const PREFIX_LENGTH_MIN = { ipv4: 16, ipv6: 32 } as const;

/** RFC 1918, RFC 4193 and loopback: no unknown source on the internet has such an address. */
const PRIVATE = ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'].map(parseAddressRange);

/** The IPv6 prefix under which a translator maps IPv4 addresses (RFC 6052 §2.1). */
const NAT64 = parseAddressRange('64:ff9b::/96');

/**
 * Whether a range has so many addresses that a trunk cannot make them known sources. Sources in it may call the trunk's
 * organization, but stay unknown sources.
 * @param allowed `SIP_BROAD_RANGES`
 */
export function isBroad(text: string, allowed: readonly AddressRange[]): boolean {
  const range = withoutTranslation(parseAddressRange(text));
  if (range.prefixLength >= PREFIX_LENGTH_MIN[range.family]) return false;
  return ![...PRIVATE, ...allowed].some((outer) => contains(outer, range));
}

/** The range of IPv4 that a range of the NAT64 prefix stands for. One that holds the whole prefix holds all of IPv4. */
function withoutTranslation(range: AddressRange): AddressRange {
  if (contains(range, NAT64)) return { address: '0.0.0.0', family: 'ipv4', prefixLength: 0 };
  const address = contains(NAT64, range) ? embeddedIpv4(range.address) : null;
  return address === null ? range : { address, family: 'ipv4', prefixLength: range.prefixLength - NAT64.prefixLength };
}

function contains(outer: AddressRange, inner: AddressRange): boolean {
  if (outer.family !== inner.family || outer.prefixLength > inner.prefixLength) return false;
  return new AddressSet([outer]).has(inner.address);
}
