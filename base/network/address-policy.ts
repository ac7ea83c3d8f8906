import { isIP } from 'node:net';
import { type AddressRange, isSingleAddress } from './address-range.ts';
import { AddressSet } from './address-set.ts';
import { embeddedIpv4 } from './ip-address.ts';

/** A socket of the service itself. `0.0.0.0` and `::` stand for every address of the machine. */
export interface OwnListener {
  readonly address: string;
  readonly port: number;
}

export interface AddressPolicyOptions {
  /** `HTTP_ALLOW_ADDRESSES`, `SIP_TRUNK_NETWORKS`: ranges of the operator's own network. */
  readonly allow: readonly AddressRange[];
  /** Called at every check, because listeners come and go. */
  readonly ownListeners: () => readonly OwnListener[];
  /** Addresses of this machine's interfaces. */
  readonly localAddresses: () => readonly string[];
}

/** The reason why an address is refused, as text for logs and users; null for an allowed address. */
export type AddressRefusal = string | null;

/** Blocks of IPv4 that are not the public internet: IANA's special-purpose registry (RFC 6890) and multicast. */
const REFUSED_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and most clouds' metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
];

/** The public internet of IPv6. Loopback, unique-local, link-local and multicast lie outside. */
const GLOBAL_IPV6 = '2000::/3';

/** Exceptions within it. */
const REFUSED_IPV6 = [
  '2001::/23', // protocol assignments, among them Teredo, which holds an IPv4 address
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which holds an IPv4 address
  '3fff::/20', // documentation
];

/**
 * Metadata services of clouds give credentials to every client. Some lie in public ranges, or in ranges that operators may
 * allow as a whole. So only an entry for exactly this address allows one.
 */
const METADATA = [
  '169.254.169.254', // AWS, Azure, Google Cloud and most others
  '169.254.170.2', // AWS containers
  '169.254.170.23', // AWS EKS
  '168.63.129.16', // Azure
  '100.100.100.200', // Alibaba Cloud
  '192.0.0.192', // Oracle Cloud
  'fd00:ec2::254', // AWS
  'fd00:ec2::23', // AWS EKS
  'fd20:ce::254', // Google Cloud
  'fe80::a9fe:a9fe', // OpenStack
];

/** Decides which addresses the URLs and trunks of users may reach. Pure: listeners and interfaces are handed in. */
export class AddressPolicy {
  readonly #options: AddressPolicyOptions;
  readonly #allowed: AddressSet;
  readonly #allowedSingly: AddressSet;
  readonly #refused = new AddressSet([...REFUSED_IPV4, ...REFUSED_IPV6]);
  readonly #global = new AddressSet([GLOBAL_IPV6]);
  readonly #metadata = new AddressSet(METADATA);
  /** To a socket, the unspecified addresses are this machine, whatever its listeners are bound to. Then multicast and broadcast. */
  readonly #hostless = new AddressSet(['0.0.0.0', '::', '224.0.0.0/4', 'ff00::/8', '255.255.255.255']);
  readonly #loopback = new AddressSet(['127.0.0.0/8', '::1']);

  constructor(options: AddressPolicyOptions) {
    this.#options = options;
    this.#allowed = new AddressSet(options.allow);
    this.#allowedSingly = new AddressSet(options.allow.filter(isSingleAddress));
  }

  /** `address` is an IP address, as a socket would get it; anything else is refused. */
  refusal(address: string, port: number): AddressRefusal {
    const [plain = ''] = address.split('%');
    if (isIP(plain) === 0) return 'it is no IP address';
    const reached = embeddedIpv4(plain) ?? plain;
    if (this.#hostless.has(reached)) return 'it names no host';
    if (this.#isOwnListener(reached, port)) return 'the service itself listens there';
    if (this.#metadata.has(reached)) {
      return this.#allowedSingly.has(reached) ? null : "it is a cloud's metadata address";
    }
    if (this.#allowed.has(reached)) return null;
    if (this.#refused.has(reached)) return 'it is not on the public internet';
    if (isIP(reached) === 6 && !this.#global.has(reached)) return 'it is not on the public internet';
    return null;
  }

  #isOwnListener(address: string, port: number): boolean {
    return this.#options.ownListeners().some((listener) => {
      if (listener.port !== port) return false;
      const own = new AddressSet([embeddedIpv4(listener.address) ?? listener.address]);
      if (own.has(address)) return true;
      const everywhere = listener.address === '0.0.0.0' || listener.address === '::';
      return everywhere && this.#isLocal(address);
    });
  }

  #isLocal(address: string): boolean {
    if (this.#loopback.has(address)) return true;
    const local = this.#options.localAddresses().map((own) => own.split('%')[0] ?? own);
    return new AddressSet(local).has(address);
  }
}
