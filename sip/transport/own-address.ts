import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { AddressSet } from '../../base/network/address-set.ts';

export interface OwnAddressOptions {
  /** An IPv4 or IPv6 literal; `0.0.0.0` and `::` are every interface. */
  readonly bind: string;
  /** Our address for external peers; null: the bound address. */
  readonly external: string | null;
  /** Addresses or CIDR ranges of peers that reach us without the external address. */
  readonly localNetworks: readonly string[];
}

interface LocalInterface {
  readonly address: string;
  readonly network: AddressSet;
}

/** Our address as peers see it: in Via and Contact, and for media in SDP. */
export class OwnAddress {
  /** Our address without a particular peer. */
  readonly primary: string;
  readonly #external: string | null;
  /** The bound address, or the first interface that is not loopback. */
  readonly #local: string;
  readonly #localNetworks: AddressSet;
  /** This machine's interfaces, the narrowest network first; none if one address is bound. */
  readonly #interfaces: readonly LocalInterface[];

  constructor({ bind, external, localNetworks }: OwnAddressOptions) {
    this.#external = external;
    this.#localNetworks = new AddressSet(localNetworks);
    const isAny = bind === '0.0.0.0' || bind === '::';
    const family = isIPv6(bind) ? 'IPv6' : 'IPv4';
    const entries = isAny ? Object.values(networkInterfaces()).flatMap((list) => list ?? []) : [];
    const ours = entries.filter((entry) => entry.family === family);
    this.#interfaces = ours
      .flatMap(({ address, cidr }) => (cidr === null ? [] : [{ address, cidr }]))
      .sort((a, b) => prefixOf(b.cidr) - prefixOf(a.cidr))
      .map(({ address, cidr }) => ({ address, network: new AddressSet([cidr]) }));
    const outside = ours.find(({ internal }) => !internal)?.address;
    const loopback = family === 'IPv6' ? '::1' : '127.0.0.1';
    this.#local = isAny ? (outside ?? loopback) : bind;
    this.primary = external ?? this.#local;
  }

  /** @param peer an address literal; any other text counts as external. */
  forPeer(peer: string): string {
    if (this.#external === null || !this.#localNetworks.has(peer)) return this.primary;
    return this.#interfaces.find(({ network }) => network.has(peer))?.address ?? this.#local;
  }
}

function prefixOf(cidr: string): number {
  return Number(cidr.split('/')[1]);
}
