import { isIPv4 } from 'node:net';

/**
 * The IPv4 address that a socket would reach through an IPv6 one: IPv4-mapped (`::ffff:0:0/96`, RFC 4291 section
 * 2.5.5.2) and NAT64 (`64:ff9b::/96`, RFC 6052). Null for every other address. `address` must be valid.
 */
export function embeddedIpv4(address: string): string | null {
  if (isIPv4(address)) return null;
  const groups = groupsOf(address);
  const head = groups.slice(0, 6).join(':');
  if (head !== '0:0:0:0:0:ffff' && head !== '64:ff9b:0:0:0:0') return null;
  return groups
    .slice(6)
    .flatMap((group) => {
      const value = Number.parseInt(group, 16);
      return [value >> 8, value & 0xff];
    })
    .join('.');
}

/** The eight groups of an IPv6 address. `URL` writes every spelling of one address in the same way (RFC 5952). */
function groupsOf(address: string): readonly string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [left = '', right] = canonical.split('::');
  const leading = left === '' ? [] : left.split(':');
  if (right === undefined) return leading;
  const trailing = right === '' ? [] : right.split(':');
  return [...leading, ...new Array<string>(8 - leading.length - trailing.length).fill('0'), ...trailing];
}
