import { type AddressRange, textsOf } from '../../base/network/address-range.ts';
import { TargetPolicy } from './target-policy.ts';
import { DEFAULT_SIP_PORT } from './transport-address.ts';

/** Whether an address keeps secret if its port is closed. */
export type IsConcealed = (address: string) => boolean;

/** For a server that conceals nothing. */
export const NOTHING_CONCEALED: IsConcealed = () => false;

/**
 * The addresses outside the public internet: who adds a trunk must not learn there whether a port is closed, and so scan the
 * operator's network. A request that cannot reach them looks like one without a response, in its result and in its time.
 * Networks that the operator lists are no secret. The default, which holds every address, lists none.
 *
 * @param trunkNetworks `SIP_TRUNK_NETWORKS`
 */
export function concealedAddresses(trunkNetworks: readonly AddressRange[]): IsConcealed {
  const policy = new TargetPolicy(textsOf(trunkNetworks.filter(({ prefixLength }) => prefixLength > 0)));
  return (address) => policy.refusal(address, DEFAULT_SIP_PORT) !== null;
}
