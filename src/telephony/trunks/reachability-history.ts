/** Length of an interval, ms. */
export const INTERVAL_MS = 30 * 60 * 1_000;
/** A day of them: about 5 kB a trunk. Older ones are dropped. */
const INTERVALS_MAX = 48;

/** The checks of a trunk in half an hour. */
export interface ReachabilityInterval {
  /** Wall clock, a whole multiple of the interval. */
  readonly startMs: number;
  readonly checks: number;
  /** Checks after which the trunk was reachable. */
  readonly reachable: number;
  /** Checks that got a response. */
  readonly answered: number;
  /** Mean time to a response; null: no response came. */
  readonly roundTripMs: number | null;
}

interface Sums {
  readonly startMs: number;
  checks: number;
  reachable: number;
  answered: number;
  roundTripsMs: number;
}

/** The checks of one trunk over the last day. In memory only: each node has its own, and a restart begins again. */
export class ReachabilityHistory {
  /** Oldest first. */
  readonly #intervals: Sums[] = [];

  add(nowMs: number, { reachable, roundTripMs }: { readonly reachable: boolean; readonly roundTripMs: number | null }) {
    const sums = this.#at(nowMs);
    sums.checks += 1;
    if (reachable) sums.reachable += 1;
    if (roundTripMs === null) return;
    sums.answered += 1;
    sums.roundTripsMs += roundTripMs;
  }

  /** Oldest first. Intervals without a check are missing. */
  intervals(nowMs: number): readonly ReachabilityInterval[] {
    const firstMs = startOf(nowMs) - (INTERVALS_MAX - 1) * INTERVAL_MS;
    return this.#intervals
      .filter(({ startMs }) => startMs >= firstMs)
      .map(({ answered, checks, reachable, roundTripsMs, startMs }) => {
        return { startMs, checks, reachable, answered, roundTripMs: answered === 0 ? null : roundTripsMs / answered };
      });
  }

  #at(nowMs: number): Sums {
    const startMs = startOf(nowMs);
    const last = this.#intervals.at(-1);
    // A wall clock that was set back adds to the last interval.
    if (last !== undefined && last.startMs >= startMs) return last;
    const sums = { startMs, checks: 0, reachable: 0, answered: 0, roundTripsMs: 0 };
    this.#intervals.push(sums);
    if (this.#intervals.length > INTERVALS_MAX) this.#intervals.shift();
    return sums;
  }
}

/** The checks of several nodes together, oldest first. */
export function mergedIntervals(
  ofNodes: readonly (readonly ReachabilityInterval[])[],
): readonly ReachabilityInterval[] {
  const merged = new Map<number, ReachabilityInterval>();
  for (const interval of ofNodes.flat()) {
    const before = merged.get(interval.startMs);
    merged.set(interval.startMs, before === undefined ? interval : together(before, interval));
  }
  return [...merged.values()].sort((a, b) => a.startMs - b.startMs);
}

function together(one: ReachabilityInterval, other: ReachabilityInterval): ReachabilityInterval {
  const answered = one.answered + other.answered;
  const roundTripsMs = [one, other].reduce((sum, each) => sum + (each.roundTripMs ?? 0) * each.answered, 0);
  return {
    startMs: one.startMs,
    checks: one.checks + other.checks,
    reachable: one.reachable + other.reachable,
    answered,
    roundTripMs: answered === 0 ? null : roundTripsMs / answered,
  };
}

function startOf(ms: number): number {
  return Math.floor(ms / INTERVAL_MS) * INTERVAL_MS;
}
