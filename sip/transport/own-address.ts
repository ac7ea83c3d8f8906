import { networkInterfaces } from 'node:os';
import { AddressSet } from '../../base/network/address-set.ts';
import { type IpFamily, ipFamilyOf, servedFamilies } from '../../base/network/ip-address.ts';

export interface OwnAddressOptions {
  /** An IPv4 or IPv6 literal; `0.0.0.0` is every IPv4 interface, `::` is every interface. */
  readonly bind: string;
  /** Our address for external peers of its IP family; null: the bound address. */
  readonly external: string | null;
  /** Addresses or CIDR ranges of peers that reach us without the external address. */
  readonly localNetworks: readonly string[];
}

interface LocalInterface {
  readonly address: string;
  readonly network: AddressSet;
}

/** Our addresses of one IP family. */
interface FamilyAddresses {
  readonly family: IpFamily;
  /** null: external peers of this family reach the local address. */
  readonly external: string | null;
  /** The bound address, or one of an interface. */
  readonly local: string;
  /** Only this machine reaches the local address. */
  readonly isLoopback: boolean;
  /** This machine's interfaces, the narrowest network first; none if one address is bound. */
  readonly interfaces: readonly LocalInterface[];
}

/** Valid on one link only, and with the name of an interface. */
const LINK_LOCAL = new AddressSet(['fe80::/10']);
/** Addresses that peers outside may reach (RFC 4291 §2.4). Unique local ones (RFC 4193) come after these. */
const GLOBAL_IPV6 = new AddressSet(['2000::/3']);

/** Our address as peers see it: in Via and Contact, and for media in SDP. */
export class OwnAddress {
  /** Our address without a particular peer. */
  readonly primary: string;
  /** One of each served family. */
  readonly all: readonly [string, ...string[]];
  readonly #primaryFamily: FamilyAddresses;
  readonly #families: readonly FamilyAddresses[];
  readonly #localNetworks: AddressSet;

  constructor({ bind, external, localNetworks }: OwnAddressOptions) {
    this.#localNetworks = new AddressSet(localNetworks);
    const [first, ...others] = servedFamilies(bind);
    const servesBoth = others.length > 0;
    const ofFirst = addressesOf(first, bind, external, servesBoth);
    const families = [ofFirst, ...others.map((family) => addressesOf(family, bind, external, servesBoth))];
    // The external address is the operator's word. Otherwise IPv4, which more peers reach, unless the machine has none.
    const preferred =
      families.find((addresses) => addresses.external !== null) ??
      families.find(({ isLoopback }) => !isLoopback) ??
      ofFirst;
    this.#families = families;
    this.#primaryFamily = preferred;
    this.all = this.allForPeer('');
    this.primary = this.all[0];
  }

  /** @param peer an address literal; any other text counts as external. */
  forPeer(peer: string): string {
    return this.allForPeer(peer)[0];
  }

  /** The address for a peer, of its IP family, and then the one of the other family if both are served. */
  allForPeer(peer: string): readonly [string, ...string[]] {
    const family = ipFamilyOf(peer);
    const own = this.#families.find((addresses) => addresses.family === family) ?? this.#primaryFamily;
    const others = this.#families.filter((addresses) => addresses !== own);
    return [this.#toward(peer, own), ...others.map(({ external, local }) => external ?? local)];
  }

  #toward(peer: string, { external, local, interfaces }: FamilyAddresses): string {
    if (external === null || !this.#localNetworks.has(peer)) return external ?? local;
    return interfaces.find(({ network }) => network.has(peer))?.address ?? local;
  }
}

/** @param servesBoth the external address is that of its family only. */
function addressesOf(family: IpFamily, bind: string, external: string | null, servesBoth: boolean): FamilyAddresses {
  const isExternal = external !== null && (!servesBoth || ipFamilyOf(external) === family);
  const own = { family, external: isExternal ? external : null };
  if (bind !== '0.0.0.0' && !servesBoth) return { ...own, local: bind, isLoopback: false, interfaces: [] };
  const entries = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const ours = entries.filter((entry) => entry.family === `IPv${family}`);
  const interfaces = ours
    .flatMap(({ address, cidr }) => (cidr === null ? [] : [{ address, cidr }]))
    .sort((a, b) => prefixOf(b.cidr) - prefixOf(a.cidr))
    .map(({ address, cidr }) => ({ address, network: new AddressSet([cidr]) }));
  const outside = ours.filter(({ internal, address }) => !internal && !LINK_LOCAL.has(address));
  const reached = outside.find(({ address }) => GLOBAL_IPV6.has(address)) ?? outside[0];
  const loopback = family === 6 ? '::1' : '127.0.0.1';
  return { ...own, local: reached?.address ?? loopback, isLoopback: reached === undefined, interfaces };
}

function prefixOf(cidr: string): number {
  return Number(cidr.split('/')[1]);
}
