import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';
import type { CallRate } from './call-rate.ts';

type Limits = Pick<SipTrunkRecord, 'id' | 'maxConcurrentCalls' | 'maxCallsPerSecond'>;

/** The calls of the other nodes over each trunk. */
export interface OtherNodes {
  readonly ofOthers: (trunkId: string) => number;
  /** Called when the number of this node’s calls over a trunk with a limit has changed. */
  readonly reportCalls: (trunkId: string, calls: number) => void;
}

/** Used where only this node counts. */
const NO_OTHER_NODES: OtherNodes = { ofOthers: () => 0, reportCalls: () => {} };

/** The limits of trunks over all nodes. */
export class TrunkCapacity {
  readonly #rate: CallRate;
  readonly #others: OtherNodes;
  /** Calls of this node by trunk. */
  readonly #calls = new Map<string, number>();

  constructor(rate: CallRate, others: OtherNodes = NO_OTHER_NODES) {
    this.#rate = rate;
    this.#others = others;
  }

  /** Whether the trunk has room for one more call in progress. */
  fits({ id, maxConcurrentCalls }: Limits): boolean {
    if (maxConcurrentCalls === null) return true;
    return (this.#calls.get(id) ?? 0) + this.#others.ofOthers(id) < maxConcurrentCalls;
  }

  /**
   * Takes capacity for one call.
   * @returns its release, which works once; null if the trunk is at a limit.
   */
  async take(trunk: Limits): Promise<(() => void) | null> {
    const { id, maxCallsPerSecond } = trunk;
    if (!this.fits(trunk)) return null;
    this.#change(trunk, 1);
    let isTaken = true;
    const release = () => {
      if (isTaken) this.#change(trunk, -1);
      isTaken = false;
    };
    if (maxCallsPerSecond === null || (await this.#rate.take(`trunk ${id}`, maxCallsPerSecond))) return release;
    release();
    return null;
  }

  #change({ id, maxConcurrentCalls }: Limits, by: 1 | -1): void {
    const calls = (this.#calls.get(id) ?? 0) + by;
    if (calls === 0) this.#calls.delete(id);
    else this.#calls.set(id, calls);
    if (maxConcurrentCalls !== null) this.#others.reportCalls(id, calls);
  }
}
