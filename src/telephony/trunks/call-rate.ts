import type { Clock } from '../../../base/time/clock.ts';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { Log } from '../../log/log.ts';

const SECOND_US = 1_000_000;
/** A call waits this long for the database, ms. Then the limit counts on this node alone. */
const WAIT_MS = 500;

/** Limits how many calls begin in any second under a key, such as a trunk. */
export interface CallRate {
  /** Counts a call. False, and not counted: `perSecond` calls have begun within the last second. Never rejects. */
  take(key: string, perSecond: number): Promise<boolean>;
}

/** `shared`: counts calls over all nodes; null where one node counts alone. */
export function createCallRate(
  shared: Pick<SharedCallRateOptions, 'takeCallStart'> | null,
  clock: Pick<Clock, 'nowUs' | 'after'>,
  log: Pick<Log, 'warn'>,
): CallRate {
  if (shared === null) return new LocalCallRate(() => clock.nowUs());
  const { takeCallStart } = shared;
  const onFault = (name: string, err: unknown) => log.warn({ err, name }, 'shared limit unavailable');
  return new SharedCallRate({ takeCallStart, clock, onFault });
}

/** The calls of this node alone. */
export class LocalCallRate implements CallRate {
  readonly #nowUs: () => number;
  /** Start times of the calls of the last second, oldest first. */
  readonly #beganUs = new Map<string, number[]>();

  constructor(nowUs: () => number) {
    this.#nowUs = nowUs;
  }

  async take(key: string, perSecond: number): Promise<boolean> {
    if (this.#latest(key).length >= perSecond) return false;
    this.add(key);
    return true;
  }

  /** Counts a call in any case. */
  add(key: string): void {
    const latest = this.#latest(key);
    latest.push(this.#nowUs());
    this.#beganUs.set(key, latest);
  }

  #latest(key: string): number[] {
    const sinceUs = this.#nowUs() - SECOND_US;
    const latest = (this.#beganUs.get(key) ?? []).filter((beganUs) => beganUs > sinceUs);
    if (latest.length === 0) this.#beganUs.delete(key);
    return latest;
  }
}

export interface SharedCallRateOptions {
  /** Counts a call over all nodes. Rejects if the database does not answer. */
  readonly takeCallStart: (name: string, perSecond: number) => Promise<boolean>;
  readonly clock: Pick<Clock, 'nowUs' | 'after'>;
  readonly onFault: (name: string, error: unknown) => void;
}

/** The calls of all nodes, by a query for each call. While the database does not answer, each node counts its own. */
export class SharedCallRate implements CallRate {
  readonly #options: SharedCallRateOptions;
  readonly #own: LocalCallRate;

  constructor(options: SharedCallRateOptions) {
    this.#options = options;
    this.#own = new LocalCallRate(() => options.clock.nowUs());
  }

  async take(key: string, perSecond: number): Promise<boolean> {
    const { clock, onFault, takeCallStart } = this.#options;
    try {
      const late = () => {
        throw new Error(`no answer within ${WAIT_MS} ms`);
      };
      const isTaken = await withTimeout(takeCallStart(key, perSecond), WAIT_MS, late, clock);
      if (isTaken) this.#own.add(key);
      return isTaken;
    } catch (error) {
      onFault(key, error);
      return this.#own.take(key, perSecond);
    }
  }
}
