import { isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { ipv6Groups, withSocketMapping } from '../../../base/network/ip-address.ts';

/**
 * `sockaddr_in` and `sockaddr_in6` of Linux (ip(7), ipv6(7)) on little-endian machines. Family and zone are in the
 * machine's order of bytes, port and address in the network's.
 *
 *     sockaddr_in   family 2 | port 2 | address 4 | zero 8
 *     sockaddr_in6  family 2 | port 2 | flow 4 | address 16 | zone 4
 */
export const AF_INET = 2;
export const AF_INET6 = 10;
const IPV4_BYTES = 16;
const IPV6_BYTES = 28;
const PORT_AT = 2;
const IPV4_ADDRESS_AT = 4;
const IPV6_ADDRESS_AT = 8;
const ZONE_AT = 24;
const GROUPS = 8;
const LINK_LOCAL = 0xfe80;
/** The first ten bits of a link-local address (RFC 4291 §2.5.6). */
const LINK_LOCAL_MASK = 0xffc0;
const MAPPED_GROUP = 0xffff;
/** Groups before the last 32 bits of an address that holds an IPv4 address. */
const EMBEDDING_GROUPS = 6;

export function socketAddressBytes(isIpv6: boolean): number {
  return isIpv6 ? IPV6_BYTES : IPV4_BYTES;
}

/**
 * Writes an address and port for a socket of this family, which takes IPv4 addresses mapped if it is an IPv6 socket.
 * False for an address that such a socket cannot reach, and for any other text.
 */
export function encodeSocketAddress(address: string, port: number, isIpv6: boolean, into: Uint8Array): boolean {
  const view = new DataView(into.buffer, into.byteOffset, into.byteLength);
  into.fill(0);
  view.setUint16(0, isIpv6 ? AF_INET6 : AF_INET, true);
  view.setUint16(PORT_AT, port);
  if (!isIpv6) {
    if (!isIPv4(address)) return false;
    into.set(address.split('.').map(Number), IPV4_ADDRESS_AT);
    return true;
  }
  const reachable = withSocketMapping(address);
  if (!isIPv6(reachable)) return false;
  for (const [i, group] of ipv6Groups(reachable).entries()) view.setUint16(IPV6_ADDRESS_AT + i * 2, group);
  const [, zone] = reachable.split('%');
  if (zone !== undefined) view.setUint32(ZONE_AT, zoneNumber(zone), true);
  return true;
}

/** The address in the text that `dgram` reports: IPv4-mapped ones as IPv4, link-local ones with their interface. */
export function decodeSocketAddress(bytes: Uint8Array): { address: string; port: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const port = view.getUint16(PORT_AT);
  if (view.getUint16(0, true) !== AF_INET6) {
    return { address: bytes.subarray(IPV4_ADDRESS_AT, IPV4_ADDRESS_AT + 4).join('.'), port };
  }
  const groups = Array.from({ length: GROUPS }, (_, i) => view.getUint16(IPV6_ADDRESS_AT + i * 2));
  const mapped = groups.slice(0, EMBEDDING_GROUPS).every((group, i) => group === (i < 5 ? 0 : MAPPED_GROUP));
  if (mapped) return { address: bytes.subarray(ZONE_AT - 4, ZONE_AT).join('.'), port };
  const zone = view.getUint32(ZONE_AT, true);
  const isLinkLocal = ((groups[0] ?? 0) & LINK_LOCAL_MASK) === LINK_LOCAL;
  return { address: `${ipv6Text(groups)}${isLinkLocal ? zoneSuffix(zone) : ''}`, port };
}

/** The source of a socket's last packet. Its text is made only when the source changes. */
export class PacketSource {
  address = '';
  port = 0;
  readonly #words: Uint32Array;

  constructor(isIpv6: boolean) {
    this.#words = new Uint32Array(socketAddressBytes(isIpv6) / 4);
  }

  /** @param words a whole socket address, as the kernel wrote it */
  read(words: Uint32Array): void {
    for (let i = 0; i < this.#words.length; i++) {
      if (this.#words[i] !== words[i]) {
        this.#change(words);
        return;
      }
    }
  }

  #change(words: Uint32Array): void {
    this.#words.set(words.subarray(0, this.#words.length));
    const { address, port } = decodeSocketAddress(new Uint8Array(this.#words.buffer));
    this.address = address;
    this.port = port;
  }
}

/** The canonical text (RFC 5952 §4): the longest run of zeros, of two groups or more, becomes `::`. */
function ipv6Text(groups: readonly number[]): string {
  const text = groups.map((group) => group.toString(16)).join(':');
  const runs = text.match(/\b0(:0)+\b/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return text;
  const at = text.search(new RegExp(`(^|:)${longest}(:|$)`));
  const head = text.slice(0, at);
  const tail = text.slice(at === 0 ? longest.length : at + 1 + longest.length);
  return `${head}::${tail.replace(/^:/, '')}`;
}

/** The number of an interface: that of its link-local address. 0 if the machine has none of this name. */
function zoneNumber(name: string): number {
  const numbers = networkInterfaces()[name]?.map(({ scopeid }) => scopeid ?? 0) ?? [Number(name) || 0];
  return Math.max(...numbers);
}

function zoneSuffix(zone: number): string {
  if (zone === 0) return '';
  for (const [name, entries] of Object.entries(networkInterfaces())) {
    if (entries?.some(({ scopeid }) => scopeid === zone)) return `%${name}`;
  }
  return '';
}
