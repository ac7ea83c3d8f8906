import { type AddressRange, textsOf } from '../../base/network/address-range.ts';
import { TargetPolicy } from './target-policy.ts';
import { DEFAULT_SIP_PORT } from './transport-address.ts';

/** Whether an address keeps secret if its port is closed. */
export type IsConcealed = (address: string) => boolean;

/** For a server that conceals nothing. */
export const NOTHING_CONCEALED: IsConcealed = () => false;

/**
 * The addresses outside the public internet. A user of the API must not scan the operator's network by trunks: a request to a
 * closed port looks like a request without a response, in its result and in its time. Networks that the operator lists are not
 * concealed. A range of all addresses, the default, names no network: all private addresses stay concealed.
 *
 * @param trunkNetworks `SIP_TRUNK_NETWORKS`
 */
export function concealedAddresses(trunkNetworks: readonly AddressRange[]): IsConcealed {
  const policy = new TargetPolicy(textsOf(trunkNetworks.filter(({ prefixLength }) => prefixLength > 0)));
  return (address) => policy.refusal(address, DEFAULT_SIP_PORT) !== null;
}
