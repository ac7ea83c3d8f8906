import { isIP } from 'node:net';
import type { OwnListener } from '../../../base/network/address-policy.ts';
import type { AddressRange } from '../../../base/network/address-range.ts';
import { textsOf } from '../../../base/network/address-range.ts';
import { TargetPolicy } from '../../../sip/transport/target-policy.ts';
import { DEFAULT_SIP_PORT, DEFAULT_SIPS_PORT } from '../../../sip/transport/transport-address.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';
import { isBroad } from './broad-ranges.ts';
import { trunkAddress } from './trunk-address.ts';

/** A field of a trunk that the operator does not allow. */
export interface TrunkAddressFault {
  readonly field: 'termination_uri' | 'allowed_addresses';
  readonly message: string;
}

/** Checks the addresses that a trunk names against `SIP_TRUNK_NETWORKS` and `SIP_BROAD_RANGES`. */
export class TrunkAddressPolicy {
  readonly #targets: TargetPolicy;
  readonly #broadRanges: readonly AddressRange[];

  /** @param listeners of the service: never a target. Read at each check, so a later one counts too. */
  constructor(
    trunkNetworks: readonly AddressRange[],
    broadRanges: readonly AddressRange[],
    listeners: readonly OwnListener[] = [],
  ) {
    this.#targets = new TargetPolicy(textsOf(trunkNetworks));
    this.#targets.setOtherListeners(listeners);
    this.#broadRanges = broadRanges;
  }

  /** A name is judged by the SIP server, each time it is resolved. */
  fault(trunk: Partial<SipTrunkRecord>): TrunkAddressFault | null {
    const { allowedAddresses = [], terminationUri, transport = 'udp' } = trunk;
    const broad = allowedAddresses.find((range) => isBroad(range, this.#broadRanges));
    if (broad !== undefined) {
      return {
        field: 'allowed_addresses',
        message:
          `${broad} is wider than /16 (IPv6: /32). List the trunk's own ranges, leave the list empty to take calls from any ` +
          'address, or let the operator add the range to SIP_BROAD_RANGES',
      };
    }
    const refusal = terminationUri === undefined ? null : this.#targetRefusal({ terminationUri, transport });
    if (refusal === null) return null;
    return { field: 'termination_uri', message: `${refusal}. The operator allows networks by SIP_TRUNK_NETWORKS` };
  }

  #targetRefusal(trunk: Pick<SipTrunkRecord, 'terminationUri' | 'transport'>): string | null {
    const { host, port, transport } = trunkAddress(trunk);
    const address = host.replace(/^\[|\]$/g, '');
    if (isIP(address) === 0) return null;
    const refusal = this.#targets.refusal(
      address,
      port ?? (transport === 'tls' ? DEFAULT_SIPS_PORT : DEFAULT_SIP_PORT),
    );
    return refusal === null ? null : `${address} is not allowed: ${refusal}`;
  }
}
