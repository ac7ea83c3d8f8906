import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

const SECOND_US = 1_000_000;

interface Usage {
  calls: number;
  /** Start times of the calls of the last second, oldest first; never more than the limit. */
  readonly beganUs: number[];
}

type Limits = Pick<SipTrunkRecord, 'id' | 'maxConcurrentCalls' | 'maxCallsPerSecond'>;

/** The share of each trunk's limits that this node uses. */
export class TrunkCapacity {
  readonly #nowUs: () => number;
  readonly #usages = new Map<string, Usage>();

  constructor(nowUs: () => number) {
    this.#nowUs = nowUs;
  }

  fits(trunk: Limits): boolean {
    const usage = this.#usages.get(trunk.id);
    if (usage === undefined) return true;
    this.#forgetOld(usage);
    const { maxCallsPerSecond, maxConcurrentCalls } = trunk;
    if (maxConcurrentCalls !== null && usage.calls >= maxConcurrentCalls) return false;
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
    usage.calls += 1;
    if (trunk.maxCallsPerSecond !== null) usage.beganUs.push(this.#nowUs());
    let released = false;
    return () => {
      if (released) return;
      released = true;
      usage.calls -= 1;
      this.#forgetOld(usage);
      if (usage.calls === 0 && usage.beganUs.length === 0) this.#usages.delete(trunk.id);
    };
  }

  #forgetOld(usage: Usage): void {
    const since = this.#nowUs() - SECOND_US;
    while ((usage.beganUs[0] ?? Number.POSITIVE_INFINITY) <= since) usage.beganUs.shift();
  }
}
