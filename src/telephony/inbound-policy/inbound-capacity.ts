import { sourceNetworkOf } from '../../../sip/source-filter/source-network.ts';
import type { InboundLimits } from '../../configuration/configuration.ts';

/** What an inbound call counts for. */
export interface InboundParty {
  readonly organizationId: string;
  /** null: the organization has no trunk. */
  readonly trunkId: string | null;
  /** Address of an untrusted source; null: a trunk lists the source, or it proved a password. */
  readonly untrustedSource: string | null;
}

/** `full`: which limit is reached. `taken`: `release` works once. */
export type TakenCapacity =
  | { readonly type: 'taken'; readonly release: () => void }
  | { readonly type: 'full'; readonly limit: 'source' | 'trunk' | 'organization' };

interface Limit {
  readonly name: 'source' | 'trunk' | 'organization';
  readonly key: string | null;
  readonly max: number | null;
}

/** The inbound calls of this node, ringing ones included, by source, trunk and organization. */
export class InboundCapacity {
  readonly #limits: InboundLimits;
  /** One entry for each key of a call in progress. */
  readonly #calls = new Map<string, number>();

  constructor(limits: InboundLimits) {
    this.#limits = limits;
  }

  take({ organizationId, trunkId, untrustedSource }: InboundParty): TakenCapacity {
    const { perOrganization, perSource, perTrunk } = this.#limits;
    const source = untrustedSource === null ? null : sourceNetworkOf(untrustedSource);
    const limits: readonly Limit[] = [
      { name: 'source', key: source, max: perSource },
      { name: 'trunk', key: trunkId, max: perTrunk },
      { name: 'organization', key: organizationId, max: perOrganization },
    ];
    const counted = limits.flatMap(({ key, max, name }) =>
      key === null ? [] : [{ key: `${name} ${key}`, max, name }],
    );
    const full = counted.find(({ key, max }) => max !== null && (this.#calls.get(key) ?? 0) >= max);
    if (full !== undefined) return { type: 'full', limit: full.name };
    for (const { key } of counted) this.#calls.set(key, (this.#calls.get(key) ?? 0) + 1);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      for (const { key } of counted) this.#give(key);
    };
    return { type: 'taken', release };
  }

  #give(key: string): void {
    const left = (this.#calls.get(key) ?? 0) - 1;
    if (left > 0) this.#calls.set(key, left);
    else this.#calls.delete(key);
  }
}
