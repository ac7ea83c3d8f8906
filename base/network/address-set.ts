import { BlockList, isIP, isIPv4 } from 'node:net';
import { type AddressRange, parseAddressRange } from './address-range.ts';
import { withoutMapping } from './ip-address.ts';

/**
 * Addresses and CIDR ranges. Immutable. An IPv4-mapped address counts as the IPv4 address. The families are kept apart: a `BlockList`
 * with both finds every IPv4 address in an IPv6 range that holds the mapped ones, such as `::/32`.
 */
export class AddressSet {
  readonly #blocks = { ipv4: new BlockList(), ipv6: new BlockList() };

  /** @throws {RangeError} for a text that is neither an address nor a range */
  constructor(ranges: Iterable<AddressRange | string>) {
    for (const entry of ranges) {
      const { address, prefixLength, family } = typeof entry === 'string' ? parseAddressRange(entry) : entry;
      this.#blocks[family].addSubnet(address, prefixLength, family);
    }
  }

  /** False for a text that is not an IP address. A zone (`fe80::1%eth0`) is ignored. */
  has(address: string): boolean {
    const [plain = ''] = address.split('%');
    if (isIP(plain) === 0) return false;
    const unmapped = withoutMapping(plain);
    return isIPv4(unmapped) ? this.#blocks.ipv4.check(unmapped, 'ipv4') : this.#blocks.ipv6.check(plain, 'ipv6');
  }
}
