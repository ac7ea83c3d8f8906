import { ipFamilyOf } from '../../base/network/ip-address.ts';
import type { Hop } from '../transport/transport-address.ts';
import { bracketed } from './invite-request.ts';
import type { ServerLink } from './server-link.ts';
import type { TrunkAddress } from './signalling.ts';

/** The hop that gets a request. Without `proxy`, the server takes the hop from the Request-URI and checks it. */
export interface TrunkProxy {
  readonly proxy?: string;
}

/**
 * The hops for requests to a trunk, in the order of the attempts, or the reason why there is none. If the server does not
 * check targets, each `proxy` is an IP address that passed our check: a host name could resolve to another address later.
 * Never rejects.
 */
export async function proxiesOf(
  link: ServerLink,
  trunk: TrunkAddress,
): Promise<readonly [TrunkProxy, ...TrunkProxy[]] | string> {
  const resolved = await link.server.resolve?.(trunk);
  if (resolved === undefined) return [{}];
  if (typeof resolved === 'string') return resolved;
  const families = link.addresses.map(({ host }) => ipFamilyOf(host));
  const usable = resolved.filter((hop) => families.includes(ipFamilyOf(hop.address)) && !isOwn(hop, link));
  const [first, ...others] = usable.map(proxyOf);
  return first === undefined ? `no request may go to the host ${trunk.host}` : [first, ...others];
}

/**
 * The hop is the server itself, which must not get its own request. A drachtio-server recognises itself only by the host of
 * the Request-URI, so a name could lead to it.
 */
function isOwn({ address, port }: Hop, { addresses }: ServerLink): boolean {
  return addresses.some((own) => own.host === address && own.port === port);
}

export function proxyOf({ transport, address, port }: Hop): TrunkProxy {
  return { proxy: `sip:${bracketed(address)}:${port}${transport === 'udp' ? '' : `;transport=${transport}`}` };
}
