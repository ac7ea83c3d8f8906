import { BlockList, isIP } from 'node:net';
import { type AddressRange, parseAddressRange } from './address-range.ts';

/** Addresses and CIDR ranges. Immutable. */
export class AddressSet {
  readonly #blocks = new BlockList();

  /** @throws {RangeError} for a text that is neither an address nor a range */
  constructor(ranges: Iterable<AddressRange | string>) {
    for (const entry of ranges) {
      const { address, prefixLength, family } = typeof entry === 'string' ? parseAddressRange(entry) : entry;
      this.#blocks.addSubnet(address, prefixLength, family);
    }
  }

  /** False for a text that is not an IP address. A zone (`fe80::1%eth0`) is ignored. */
  has(address: string): boolean {
    const [plain = ''] = address.split('%');
    const version = isIP(plain);
    return version !== 0 && this.#blocks.check(plain, version === 4 ? 'ipv4' : 'ipv6');
  }
}
