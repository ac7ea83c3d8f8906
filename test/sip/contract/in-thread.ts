import { SYSTEM_CLOCK } from '../../../base/time/system-clock.ts';
import type { EmbeddedServer } from '../../../sip/server/embedded-server.ts';
import { DEFAULT_LIMITS } from '../../../sip/server/server-limits.ts';
import { SipServer } from '../../../sip/server/sip-server.ts';
import { NOTHING_CONCEALED } from '../../../sip/transport/concealed-addresses.ts';
import { type DnsResolver, SYSTEM_DNS } from '../../../sip/transport/resolve-target.ts';
import { ANY_NETWORK } from '../../../sip/transport/target-policy.ts';
import { NO_TLS, type TlsSettings } from '../../../sip/transport/tls-stream.ts';
import type { NamedPair } from './server-under-contract.ts';

export interface InThreadOptions {
  readonly port: number;
  readonly pair: NamedPair | null;
  readonly host?: string;
  readonly secret?: string;
  readonly tls?: TlsSettings;
}

/** The embedded server without its worker, so that a test can pass its own DNS resolver. */
export async function startInThread({
  port,
  pair,
  host = '127.0.0.1',
  secret = 'cymru',
  tls = NO_TLS,
}: InThreadOptions): Promise<Pick<EmbeddedServer, 'host' | 'port' | 'secret' | 'addresses' | 'statistics' | 'close'>> {
  const server = await SipServer.start({
    bindAddress: host,
    port,
    externalAddress: null,
    localNetworks: [],
    targetNetworks: ANY_NETWORK,
    isConcealed: NOTHING_CONCEALED,
    tls,
    secret,
    limits: DEFAULT_LIMITS,
    clock: SYSTEM_CLOCK,
    names: pair === null ? SYSTEM_DNS : withPair(pair),
    onDialog: () => undefined,
    onRefreshChallenged: () => undefined,
    onConnectionLost: () => undefined,
    onInviteRefused: () => undefined,
  });
  return {
    ...server.applicationAddress,
    secret,
    addresses: server.addresses,
    statistics: async () => server.statistics,
    close: () => server.close(),
  };
}

/** The system's DNS, extended by the SRV records of the pair. */
function withPair({ name, ports }: NamedPair): DnsResolver {
  const target = `host.${name}`;
  return {
    ...SYSTEM_DNS,
    addresses: async (host) => (host === target ? ['127.0.0.1'] : SYSTEM_DNS.addresses(host)),
    srv: async (service) =>
      service === `_sip._udp.${name}`
        ? ports.map((port, priority) => ({ host: target, port, priority, weight: 0 }))
        : SYSTEM_DNS.srv(service),
  };
}
