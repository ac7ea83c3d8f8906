import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { AddressSet } from '../../base/network/address-set.ts';

export interface OwnAddressOptions {
  /** An IPv4 or IPv6 literal; `0.0.0.0` and `::` are every face of this machine. */
  readonly bind: string;
  /** Where peers outside reach us; null: they reach us as we are bound. */
  readonly external: string | null;
  /** Addresses or CIDR ranges: who is there reaches us without the external address. */
  readonly localNetworks: readonly string[];
}

interface LocalInterface {
  readonly address: string;
  readonly network: AddressSet;
}

/** The address by which peers are told to reach us: in Via and Contact, and for media in SDP. */
export class OwnAddress {
  /** For whoever is nowhere in particular. */
  readonly primary: string;
  readonly #external: string | null;
  /** Bound to, or the first face that is not loopback. */
  readonly #local: string;
  readonly #localNetworks: AddressSet;
  /** Of this machine, the narrowest network first; none where one address is bound. */
  readonly #faces: readonly LocalInterface[];

  constructor({ bind, external, localNetworks }: OwnAddressOptions) {
    this.#external = external;
    this.#localNetworks = new AddressSet(localNetworks);
    const isAny = bind === '0.0.0.0' || bind === '::';
    const family = isIPv6(bind) ? 'IPv6' : 'IPv4';
    const faces = isAny ? Object.values(networkInterfaces()).flatMap((entries) => entries ?? []) : [];
    const ours = faces.filter((face) => face.family === family);
    this.#faces = ours
      .flatMap(({ address, cidr }) => (cidr === null ? [] : [{ address, cidr }]))
      .sort((one, other) => prefixOf(other.cidr) - prefixOf(one.cidr))
      .map(({ address, cidr }) => ({ address, network: new AddressSet([cidr]) }));
    const outside = ours.find(({ internal }) => !internal)?.address;
    const loopback = family === 'IPv6' ? '::1' : '127.0.0.1';
    this.#local = isAny ? (outside ?? loopback) : bind;
    this.primary = external ?? this.#local;
  }

  /** @param peer an address literal; anything else is a peer outside. */
  forPeer(peer: string): string {
    if (this.#external === null || !this.#localNetworks.has(peer)) return this.primary;
    return this.#faces.find(({ network }) => network.has(peer))?.address ?? this.#local;
  }
}

function prefixOf(cidr: string): number {
  return Number(cidr.split('/')[1]);
}
