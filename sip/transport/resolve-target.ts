import { lookup, resolveNaptr, resolveSrv } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { AddressPolicy } from '../../base/network/address-policy.ts';
import { type IpFamily, ipFamilyOf, servedFamilies, withoutMapping } from '../../base/network/ip-address.ts';
import type { Clock } from '../../base/time/clock.ts';
import { getParameter } from '../message/parameters.ts';
import { parseUri } from '../message/uri.ts';
import { orderSrvRecords, type SrvRecord } from './srv-record.ts';
import {
  DEFAULT_SIP_PORT,
  DEFAULT_SIPS_PORT,
  type Hop,
  isSipTransport,
  type SipTransport,
} from './transport-address.ts';

/** A slower look-up counts as failed: the peer's own timer B is 32 s. */
const LOOKUP_TIMEOUT_MS = 5_000;

/** Concurrent look-ups; each holds one of the process's few resolver threads. Beyond: the target counts as unknown. */
const LOOKUPS_MAX = 16;

/** Bounds of the tried servers of one service, and of its considered SRV records. */
const SERVERS_MAX = 4;
const RECORDS_MAX = 32;

/** Bound of the tried addresses of one name. */
const HOPS_PER_NAME_MAX = 3;

/** The destination of a URI before its host is resolved. */
export interface Target {
  readonly transport: SipTransport;
  readonly host: string;
  /** null without a port in the URI: SRV records may contain one. */
  readonly port: number | null;
}

/** NAPTR (RFC 3403): a service of a name, and the name of its SRV records. */
export interface NaptrRecord {
  readonly order: number;
  readonly preference: number;
  readonly flags: string;
  /** `SIP+D2U`, `SIP+D2T`, `SIPS+D2T`. */
  readonly service: string;
  readonly replacement: string;
}

/** @returns null for an unsupported target: not a SIP URI, or a transport other than UDP, TCP and TLS. */
export function targetOf(uriText: string): Target | null {
  const uri = parseUri(uriText);
  if (uri === null || uri.scheme === 'tel') return null;
  // `sips:` is TLS regardless of its transport parameter (RFC 3261 §26.2.2; RFC 5630 §3.1.2: `transport=tcp` there is TLS over
  // TCP).
  const named = (getParameter(uri.parameters, 'transport') ?? 'udp').toLowerCase();
  const transport = uri.scheme === 'sips' ? 'tls' : named;
  if (!isSipTransport(transport)) return null;
  const host = getParameter(uri.parameters, 'maddr') || uri.host;
  return {
    transport,
    host: host.replace(/^\[|\]$/g, ''),
    port: uri.port,
  };
}

/** The used part of DNS. All functions reject for an unknown name and without an answer. */
export interface DnsResolver {
  /** A and AAAA, by the resolver of the system. */
  addresses(host: string): Promise<readonly string[]>;
  /** SRV (RFC 2782). */
  srv(name: string): Promise<readonly SrvRecord[]>;
  naptr(name: string): Promise<readonly NaptrRecord[]>;
}

export const SYSTEM_DNS: DnsResolver = {
  addresses: async (host) => {
    const found = await lookup(host, { all: true });
    return found.map(({ address }) => address);
  },
  srv: async (name) => {
    const found = await resolveSrv(name);
    return found.map((record) => ({ ...record, host: record.name }));
  },
  naptr: (name) => resolveNaptr(name),
};

/** The service names of RFC 3263 §4.1. */
const SERVICES: Record<SipTransport, string> = { udp: '_sip._udp', tcp: '_sip._tcp', tls: '_sips._tcp' };

/** The NAPTR service fields (RFC 3263 §4.1). */
const NAPTR_SERVICES: Record<SipTransport, string> = { udp: 'SIP+D2U', tcp: 'SIP+D2T', tls: 'SIPS+D2T' };

/** Pending look-ups of one record type, by name. */
type Running<T> = Map<string, Promise<readonly T[]>>;

/**
 * Resolves targets to hops (RFC 3263 §4.2), with a bounded number of look-ups and a bounded time for each. Concurrent
 * requests for one name share its look-up, so that a busy trunk holds only one. Nothing is cached beyond that.
 */
export class TargetResolver {
  readonly #clock: Clock;
  readonly #names: DnsResolver;
  readonly #random: () => number;
  readonly #policy: Pick<AddressPolicy, 'refusal'>;
  /** IP families of the bound address: its socket cannot send to another. */
  readonly #families: readonly IpFamily[];
  #lookUpCount = 0;
  readonly #addressLookUps: Running<string> = new Map();
  readonly #srvLookUps: Running<SrvRecord> = new Map();
  readonly #naptrLookUps: Running<NaptrRecord> = new Map();

  /**
   * @param random at least 0, less than 1: spreads requests over servers of one priority.
   * @param policy decides on each resolved address, so that a name gains nothing by resolving differently.
   */
  constructor(
    clock: Clock,
    names: DnsResolver,
    bindAddress: string,
    random: () => number,
    policy: Pick<AddressPolicy, 'refusal'>,
  ) {
    this.#policy = policy;
    this.#clock = clock;
    this.#names = names;
    this.#families = servedFamilies(bindAddress);
    this.#random = random;
  }

  /** The hops in the order of the attempts; empty for an unknown name or refused addresses. Never rejects. */
  async resolve(target: Target): Promise<readonly Hop[]> {
    return this.allowed(await this.lookUp(target));
  }

  /** The hops to which requests may go. */
  allowed(hops: readonly Hop[]): readonly Hop[] {
    return hops.filter((hop) => this.#policy.refusal(hop.address, hop.port) === null);
  }

  /** The hops before the policy. */
  async lookUp(target: Target): Promise<readonly Hop[]> {
    const { transport, host, port } = target;
    const plain = { host, port: port ?? (transport === 'tls' ? DEFAULT_SIPS_PORT : DEFAULT_SIP_PORT) };
    const records = port === null && namesServices(host) ? await this.#servers(transport, host) : [];
    const servers = records.length === 0 ? [plain] : records;
    const hops = await Promise.all(servers.slice(0, SERVERS_MAX).map((server) => this.#hops(target, server)));
    return hops.flat();
  }

  async #hops({ transport, host: name }: Target, { host, port }: Server): Promise<readonly Hop[]> {
    // RFC 5922 §4: the server of an SRV record must prove the original name.
    const named = transport === 'tls' ? { name } : {};
    const hop = (address: string): Hop => ({ transport, address, port, ...named });
    if (isIP(host) !== 0) return this.#served([withoutMapping(host)]).map(hop);
    const addresses = await this.#lookUp(this.#addressLookUps, host, () => this.#names.addresses(host));
    return this.#served(addresses).slice(0, HOPS_PER_NAME_MAX).map(hop);
  }

  /** The addresses that our socket can send to. IPv4 and IPv6 alternate: if one has no route, the second try succeeds. */
  #served(addresses: readonly string[]): readonly string[] {
    const served = addresses.filter((address) => this.#families.some((family) => family === ipFamilyOf(address)));
    const first = ipFamilyOf(served[0] ?? '');
    const ofFirst = served.filter((address) => ipFamilyOf(address) === first);
    const others = served.filter((address) => ipFamilyOf(address) !== first);
    return served.flatMap((_, nth) => [...ofFirst.slice(nth, nth + 1), ...others.slice(nth, nth + 1)]);
  }

  /**
   * By the NAPTR record of the URI's transport, otherwise by the conventional SRV name. The trunk sets the transport, and no
   * record changes it: encrypted signalling never becomes plain.
   */
  async #servers(transport: SipTransport, host: string): Promise<readonly Server[]> {
    const byConvention = `${SERVICES[transport]}.${host}`;
    const [pointers, services] = await Promise.all([
      this.#lookUp(this.#naptrLookUps, host, () => this.#names.naptr(host)),
      this.#services(byConvention),
    ]);
    const [pointer] = pointers
      .filter(
        ({ flags, service }) => flags.toLowerCase() === 's' && service.toUpperCase() === NAPTR_SERVICES[transport],
      )
      .sort((a, b) => a.order - b.order || a.preference - b.preference);
    const name = pointer?.replacement.replace(/\.$/, '') ?? '';
    if (name === '' || name.toLowerCase() === byConvention.toLowerCase()) return services;
    const pointed = await this.#services(name);
    return pointed.length === 0 ? services : pointed;
  }

  async #services(name: string): Promise<readonly Server[]> {
    const records = await this.#lookUp(this.#srvLookUps, name, () => this.#names.srv(name));
    // A target of `.` means that the service does not exist (RFC 2782).
    const usable = records.filter(({ host }) => host !== '' && host !== '.').slice(0, RECORDS_MAX);
    return orderSrvRecords(usable, this.#random);
  }

  /** The records; empty on failure, on timeout, and at the bound of look-ups. */
  #lookUp<T>(running: Running<T>, name: string, question: () => Promise<readonly T[]>): Promise<readonly T[]> {
    const lookUp = running.get(name) ?? this.#startLookUp(running, name, question);
    if (lookUp === null) return Promise.resolve([]);
    return new Promise((resolve) => {
      const cancel = this.#clock.after(LOOKUP_TIMEOUT_MS, () => {
        // A new look-up may succeed.
        if (running.get(name) === lookUp) running.delete(name);
        resolve([]);
      });
      void lookUp.then((answer) => {
        cancel();
        resolve(answer);
      });
    });
  }

  #startLookUp<T>(
    running: Running<T>,
    name: string,
    question: () => Promise<readonly T[]>,
  ): Promise<readonly T[]> | null {
    if (this.#lookUpCount >= LOOKUPS_MAX) return null;
    this.#lookUpCount += 1;
    const lookUp = question().catch((): readonly T[] => []);
    running.set(name, lookUp);
    // The slot is held until the look-up ends: a timeout frees no resolver thread.
    void lookUp.then(() => {
      this.#lookUpCount -= 1;
      if (running.get(name) === lookUp) running.delete(name);
    });
    return lookUp;
  }
}

interface Server {
  readonly host: string;
  readonly port: number;
}

/** Literal addresses have no SRV records, and neither have single-label names of a hosts file or a private network. */
function namesServices(host: string): boolean {
  return isIP(host) === 0 && host.includes('.');
}
