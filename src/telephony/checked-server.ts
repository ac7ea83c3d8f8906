import type { OwnListener } from '../../base/network/address-policy.ts';
import { type AddressRange, textsOf } from '../../base/network/address-range.ts';
import { SYSTEM_CLOCK } from '../../base/time/system-clock.ts';
import type { DrachtioServer } from '../../sip/signalling/server-link.ts';
import type { TrunkAddress } from '../../sip/signalling/signalling.ts';
import { concealedAddresses } from '../../sip/transport/concealed-addresses.ts';
import { type DnsResolver, SYSTEM_DNS, TargetResolver } from '../../sip/transport/resolve-target.ts';
import { TargetPolicy } from '../../sip/transport/target-policy.ts';

/** For both IP families: the drachtio-server says later which it serves. */
const ANY_ADDRESS = '::';

/**
 * A drachtio-server checks no target. This one gets the addresses of trunks from us, resolved and checked as in the embedded server.
 *
 * @param networks `SIP_TRUNK_NETWORKS`
 * @param listeners of the service: never a target. Read at each check.
 */
export function checkedServer(
  server: DrachtioServer,
  networks: readonly AddressRange[],
  listeners: readonly OwnListener[],
  names: DnsResolver = SYSTEM_DNS,
): DrachtioServer {
  const policy = new TargetPolicy(textsOf(networks));
  policy.setOtherListeners(listeners);
  const resolver = new TargetResolver(SYSTEM_CLOCK, names, ANY_ADDRESS, Math.random, policy);
  const resolve = async ({ host, port, transport }: TrunkAddress) => {
    const found = await resolver.lookUp({ transport, host: host.replace(/^\[|\]$/g, ''), port });
    if (found.length === 0) return `cannot resolve the host ${host}`;
    const allowed = resolver.allowed(found);
    return allowed.length === 0 ? `no request may go to the host ${host}` : allowed;
  };
  return { ...server, resolve, isConcealed: concealedAddresses(networks) };
}
