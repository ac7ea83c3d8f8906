import { isIPv4 } from 'node:net';

const GROUPS = 8;
/** Groups before the last 32 bits, where an IPv6 address holds an IPv4 address. */
const EMBEDDING_GROUPS = 6;

/** The eight 16-bit groups of an IPv6 address (RFC 4291 §2.2). `address` must be valid; a zone is ignored. */
export function ipv6Groups(address: string): readonly number[] {
  const [plain = ''] = address.split('%');
  const [head = [], tail = []] = plain.split('::').map(groupsIn);
  const zeros = new Array<number>(Math.max(0, GROUPS - head.length - tail.length)).fill(0);
  return [...head, ...zeros, ...tail];
}

/**
 * The IPv4 address that a socket reaches through an IPv6 address: IPv4-mapped (`::ffff:0:0/96`, RFC 4291 §2.5.5.2) and
 * NAT64 (`64:ff9b::/96`, RFC 6052). Null for every other address. `address` must be valid.
 */
export function embeddedIpv4(address: string): string | null {
  if (isIPv4(address)) return null;
  const groups = ipv6Groups(address);
  const prefix = groups
    .slice(0, EMBEDDING_GROUPS)
    .map((group) => group.toString(16))
    .join(':');
  if (prefix !== '0:0:0:0:0:ffff' && prefix !== '64:ff9b:0:0:0:0') return null;
  return groups
    .slice(EMBEDDING_GROUPS)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}

function groupsIn(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
