import { AddressPolicy, type OwnListener } from '../../base/network/address-policy.ts';
import { parseAddressRange } from '../../base/network/address-range.ts';
import { localAddresses } from '../../base/network/local-addresses.ts';

/** Every network of the operator and the internet. Metadata services of clouds stay refused. */
export const ANY_NETWORK: readonly string[] = ['0.0.0.0/0', '::/0'];

/** Decides which addresses our requests may go to. The listeners of this service are always refused. */
export class TargetPolicy {
  readonly #policy: AddressPolicy;
  #own: readonly OwnListener[] = [];
  #others: readonly OwnListener[] = [];

  /** @param networks addresses and CIDR ranges that are allowed beside the public internet */
  constructor(networks: readonly string[]) {
    this.#policy = new AddressPolicy({
      allow: networks.map(parseAddressRange),
      ownListeners: () => [...this.#own, ...this.#others],
      localAddresses,
    });
  }

  /** Sets the listeners of the SIP server. */
  setOwnListeners(listeners: readonly OwnListener[]): void {
    this.#own = listeners;
  }

  /** Sets the other listeners of the service. */
  setOtherListeners(listeners: readonly OwnListener[]): void {
    this.#others = listeners;
  }

  /** Why the address is refused; null: it is allowed. */
  refusal(address: string, port: number): string | null {
    return this.#policy.refusal(address, port);
  }
}
