import { ipFamilyOf } from '../../base/network/ip-address.ts';
import type { Hop } from '../transport/transport-address.ts';
import { bracketed } from './outbound-request.ts';
import type { ServerLink } from './server-link.ts';
import type { TrunkAddress } from './signalling.ts';

/** Where the server sends a request. Without `proxy`: where its Request-URI leads, which the server itself checks. */
export interface TrunkProxy {
  readonly proxy?: string;
}

/**
 * Where requests to a trunk go, in the order of the attempts; a string: why nowhere. On a server that checks no target, `proxy` is an
 * address that was checked: a name could resolve to another one after its check. Never rejects.
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

/** A drachtio-server recognises itself by the host of the Request-URI, not by the address behind a name. */
function isOwn({ address, port }: Hop, { addresses }: ServerLink): boolean {
  return addresses.some((own) => own.host === address && own.port === port);
}

export function proxyOf({ transport, address, port }: Hop): TrunkProxy {
  return { proxy: `sip:${bracketed(address)}:${port}${transport === 'udp' ? '' : `;transport=${transport}`}` };
}
