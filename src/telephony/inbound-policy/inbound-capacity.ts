import { sourceNetworkOf } from '../../../base/network/source-network.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { InboundLimits } from '../../configuration/configuration.ts';

/** A call of an untrusted source counts at least this long: a call that ends at once is stored, too. */
export const SOURCE_CALL_MS_MIN = 10_000;

/** The limits that an inbound call counts toward. */
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

/** A call of an untrusted source that began a short time ago. */
interface YoungCall {
  readonly key: string;
  readonly untilUs: number;
  isEnded: boolean;
}

/** The inbound calls of this node, ringing ones included, by source, trunk and organization. */
export class InboundCapacity {
  readonly #limits: InboundLimits;
  readonly #clock: Pick<Clock, 'nowUs'>;
  /** One entry for each key of a call in progress. */
  readonly #calls = new Map<string, number>();
  /** In the order of their beginnings; read at each new call. */
  readonly #young = new Set<YoungCall>();

  constructor(limits: InboundLimits, clock: Pick<Clock, 'nowUs'>) {
    this.#limits = limits;
    this.#clock = clock;
  }

  take({ organizationId, trunkId, untrustedSource }: InboundParty): TakenCapacity {
    const { perOrganization, perSource, perTrunk } = this.#limits;
    const nowUs = this.#clock.nowUs();
    this.#forgetYoung(nowUs);
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
    const releases = counted.map(({ key, name }) => {
      this.#calls.set(key, (this.#calls.get(key) ?? 0) + 1);
      return name === 'source' ? this.#begin(key, nowUs) : () => this.#give(key);
    });
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      for (const give of releases) give();
    };
    return { type: 'taken', release };
  }

  /** @returns the release of a call of an untrusted source. */
  #begin(key: string, nowUs: number): () => void {
    const call: YoungCall = { key, untilUs: nowUs + SOURCE_CALL_MS_MIN * 1_000, isEnded: false };
    this.#young.add(call);
    return () => {
      call.isEnded = true;
      if (!this.#young.has(call)) this.#give(key);
    };
  }

  #forgetYoung(nowUs: number): void {
    for (const call of this.#young) {
      if (call.untilUs > nowUs) return;
      this.#young.delete(call);
      if (call.isEnded) this.#give(call.key);
    }
  }

  #give(key: string): void {
    const left = (this.#calls.get(key) ?? 0) - 1;
    if (left > 0) this.#calls.set(key, left);
    else this.#calls.delete(key);
  }
}
