import { isIP, isIPv4, isIPv6 } from 'node:net';

export type IpFamily = 4 | 6;

const GROUPS = 8;
/** Groups before the last 32 bits, where an IPv6 address holds an IPv4 address. */
const EMBEDDING_GROUPS = 6;
/** The first groups of an IPv4-mapped address (RFC 4291 §2.5.5.2), and of NAT64 (RFC 6052 §2.1). */
const MAPPED = '0:0:0:0:0:ffff';
const NAT64 = '64:ff9b:0:0:0:0';
/** IPv4-mapped addresses as the system writes them. */
const MAPPED_TEXT = '::ffff:';

/** The eight 16-bit groups of an IPv6 address (RFC 4291 §2.2). `address` must be valid; a zone is ignored. */
export function ipv6Groups(address: string): readonly number[] {
  const [plain = ''] = address.split('%');
  const [head = [], tail = []] = plain.split('::').map(groupsIn);
  const zeros = new Array<number>(Math.max(0, GROUPS - head.length - tail.length)).fill(0);
  return [...head, ...zeros, ...tail];
}

/**
 * The IPv4 address that a socket reaches through an IPv6 address: IPv4-mapped or NAT64. Null for every other address. `address`
 * must be valid.
 */
export function embeddedIpv4(address: string): string | null {
  return ipv4After([MAPPED, NAT64], address);
}

/** The IPv4 address of an IPv4-mapped one. Every other text, such as a name, is returned as it is. */
export function withoutMapping(address: string): string {
  return (isIPv6(address) ? ipv4After([MAPPED], address) : null) ?? address;
}

/** The same for an address that the system wrote: a socket for both IP families names IPv4 peers `::ffff:192.0.2.1`. */
export function withoutSocketMapping(address: string): string {
  return address.startsWith(MAPPED_TEXT) && address.includes('.') ? address.slice(MAPPED_TEXT.length) : address;
}

/** The address for a socket for both IP families, which takes IPv6 addresses only. */
export function withSocketMapping(address: string): string {
  return isIPv4(address) ? `${MAPPED_TEXT}${address}` : address;
}

/** The last 32 bits of an address with one of these prefixes. */
function ipv4After(prefixes: readonly string[], address: string): string | null {
  if (isIPv4(address)) return null;
  const groups = ipv6Groups(address);
  const prefix = groups
    .slice(0, EMBEDDING_GROUPS)
    .map((group) => group.toString(16))
    .join(':');
  if (!prefixes.includes(prefix)) return null;
  return groups
    .slice(EMBEDDING_GROUPS)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}

/** The family of an address; null for any other text. An IPv4-mapped address counts as IPv4. */
export function ipFamilyOf(address: string): IpFamily | null {
  const version = isIP(withoutMapping(address));
  return version === 4 || version === 6 ? version : null;
}

/** The families of the peers that a socket bound to this address serves: both for `::`. */
export function servedFamilies(bind: string): readonly [IpFamily, ...IpFamily[]] {
  if (isIPv4(bind)) return [4];
  return ipv6Groups(bind).every((group) => group === 0) ? [4, 6] : [6];
}

function groupsIn(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
