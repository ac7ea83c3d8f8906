import { type AddressRange, textsOf } from '../../../base/network/address-range.ts';
import { TargetPolicy } from '../../../sip/transport/target-policy.ts';
import { DEFAULT_SIP_PORT } from '../../../sip/transport/transport-address.ts';

/**
 * Addresses outside the public internet of which no trunk may learn whether a port is open: otherwise an organization scans the
 * operator's network. Networks that the operator lists are no secret. The default, which holds every address, lists none.
 *
 * @param trunkNetworks `SIP_TRUNK_NETWORKS`
 */
export function concealedTargets(trunkNetworks: readonly AddressRange[]): (address: string) => boolean {
  const policy = new TargetPolicy(textsOf(trunkNetworks.filter(({ prefixLength }) => prefixLength > 0)));
  return (address) => policy.refusal(address, DEFAULT_SIP_PORT) !== null;
}
