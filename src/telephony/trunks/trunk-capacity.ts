import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

const SECOND_US = 1_000_000;

interface Usage {
  calls: number;
  /** Start times of the calls of the last second, oldest first; never more than the limit. */
  readonly beganUs: number[];
}

type Limits = Pick<SipTrunkRecord, 'id' | 'maxConcurrentCalls' | 'maxCallsPerSecond'>;

/** The calls of the other nodes over each trunk. */
export interface OtherNodes {
  readonly ofOthers: (trunkId: string) => number;
  /** Called when the number of this node’s calls over a trunk with a limit has changed. */
  readonly reportCalls: (trunkId: string, calls: number) => void;
}

/** Used where only this node counts. */
const NO_OTHER_NODES: OtherNodes = { ofOthers: () => 0, reportCalls: () => {} };

/** The limits of trunks: calls in progress are counted over all nodes, calls per second on this node. */
export class TrunkCapacity {
  readonly #nowUs: () => number;
  readonly #others: OtherNodes;
  readonly #usages = new Map<string, Usage>();

  constructor(nowUs: () => number, others: OtherNodes = NO_OTHER_NODES) {
    this.#nowUs = nowUs;
    this.#others = others;
  }

  fits(trunk: Limits): boolean {
    const usage = this.#usages.get(trunk.id);
    const { maxCallsPerSecond, maxConcurrentCalls } = trunk;
    if (maxConcurrentCalls !== null) {
      const calls = (usage?.calls ?? 0) + this.#others.ofOthers(trunk.id);
      if (calls >= maxConcurrentCalls) return false;
    }
    if (usage === undefined) return true;
    this.#forgetOld(usage);
    return maxCallsPerSecond === null || usage.beganUs.length < maxCallsPerSecond;
  }

  /**
   * Takes capacity for one call.
   * @returns its release, which works once; null if the trunk is at a limit.
   */
  take(trunk: Limits): (() => void) | null {
    if (!this.fits(trunk)) return null;
    const usage = this.#usages.get(trunk.id) ?? { calls: 0, beganUs: [] };
    this.#usages.set(trunk.id, usage);
    const isShared = trunk.maxConcurrentCalls !== null;
    usage.calls += 1;
    if (isShared) this.#others.reportCalls(trunk.id, usage.calls);
    if (trunk.maxCallsPerSecond !== null) usage.beganUs.push(this.#nowUs());
    let released = false;
    return () => {
      if (released) return;
      released = true;
      usage.calls -= 1;
      if (isShared) this.#others.reportCalls(trunk.id, usage.calls);
      this.#forgetOld(usage);
      if (usage.calls === 0 && usage.beganUs.length === 0) this.#usages.delete(trunk.id);
    };
  }

  #forgetOld(usage: Usage): void {
    const since = this.#nowUs() - SECOND_US;
    while ((usage.beganUs[0] ?? Number.POSITIVE_INFINITY) <= since) usage.beganUs.shift();
  }
}
