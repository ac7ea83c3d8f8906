import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Clock } from '../../../engine/ports/clock.ts';
import { getParameter } from '../grammar/parameters.ts';
import { parseUri } from '../grammar/uri.ts';
import { type Hop, isTransportName, type TransportName } from './hop.ts';
import { DEFAULT_SIP_PORT, DEFAULT_SIPS_PORT } from './origin.ts';

/** A name that is not resolved by then is as good as unknown: the peer's own timer B is 32 s. */
const LOOKUP_LIMIT_MS = 5_000;

/** Each look-up holds one of the process's few resolver threads. Beyond: the target counts as unknown. */
const LOOKUPS_MAX = 16;

/** Addresses of one name that are tried. */
const HOPS_PER_NAME_MAX = 3;

/** Where a URI leads to, before its host is looked up. */
export interface Target {
  readonly transport: TransportName;
  readonly host: string;
  readonly port: number;
}

/** @returns null for what this server cannot send to: no SIP URI, or another transport than UDP, TCP and TLS. */
export function targetOf(uriText: string): Target | null {
  const uri = parseUri(uriText);
  if (uri === null || uri.scheme === 'tel') return null;
  // `sips:` is TLS whatever its parameter says (RFC 3261 §26.2.2; RFC 5630 §3.1.2: `transport=tcp` there is TLS over TCP).
  const named = (getParameter(uri.parameters, 'transport') ?? 'udp').toLowerCase();
  const transport = uri.scheme === 'sips' ? 'tls' : named;
  if (!isTransportName(transport)) return null;
  const host = getParameter(uri.parameters, 'maddr') || uri.host;
  return {
    transport,
    host: host.replace(/^\[|\]$/g, ''),
    port: uri.port ?? (transport === 'tls' ? DEFAULT_SIPS_PORT : DEFAULT_SIP_PORT),
  };
}

export type Lookup = (host: string) => Promise<readonly string[]>;

export const systemLookup: Lookup = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};

/** Host names to addresses, a bounded number at a time and each within a bounded time. */
export class TargetResolver {
  readonly #clock: Clock;
  readonly #lookup: Lookup;
  /** 4 or 6: a socket bound to one family cannot send to the other. */
  readonly #family: number;
  #running = 0;

  constructor(clock: Clock, lookupHost: Lookup, bindAddress: string) {
    this.#clock = clock;
    this.#lookup = lookupHost;
    this.#family = isIP(bindAddress);
  }

  /** The hops in the order to try them; none where the name is unknown. Never rejects. */
  async resolve({ transport, host, port }: Target): Promise<readonly Hop[]> {
    const named = transport === 'tls' ? { name: host } : {};
    const hop = (address: string): Hop => ({ transport, address, port, ...named });
    if (isIP(host) !== 0) return isIP(host) === this.#family ? [hop(host)] : [];
    if (this.#running >= LOOKUPS_MAX) return [];
    this.#running += 1;
    const looked = this.#lookup(host).catch(() => []);
    // The place is held until the look-up itself is over: giving up on it frees no thread.
    void looked.then(() => {
      this.#running -= 1;
    });
    const addresses = await this.#withinLimit(looked);
    return addresses
      .filter((address) => isIP(address) === this.#family)
      .slice(0, HOPS_PER_NAME_MAX)
      .map(hop);
  }

  #withinLimit(looked: Promise<readonly string[]>): Promise<readonly string[]> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(LOOKUP_LIMIT_MS, () => resolve([]));
      void looked.then((addresses) => {
        cancel();
        resolve(addresses);
      });
    });
  }
}
