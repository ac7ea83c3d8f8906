import type { TrunkReachabilityInterval } from '../generated/client.ts';

/** Half hours of a day. */
const BARS = 48;
const INTERVAL_MS = 30 * 60 * 1_000;

/** A half hour as it is drawn. `none`: without a check. */
export interface DayBar {
  readonly startMs: number;
  readonly state: 'all' | 'some' | 'never' | 'none';
  /** Share of the checks after which the trunk was reachable, 0 to 1; null without a check. */
  readonly share: number | null;
}

/** The last day up to `nowMs`, oldest first, with a bar for each half hour. */
export function dayBars(intervals: readonly TrunkReachabilityInterval[], nowMs: number): readonly DayBar[] {
  const byStart = new Map(intervals.map((interval) => [Date.parse(interval.start_time), interval]));
  const lastMs = Math.floor(nowMs / INTERVAL_MS) * INTERVAL_MS;
  return Array.from({ length: BARS }, (_, index) => {
    const startMs = lastMs - (BARS - 1 - index) * INTERVAL_MS;
    const interval = byStart.get(startMs);
    if (interval === undefined) return { startMs, state: 'none', share: null };
    const share = interval.reachable / interval.checks;
    return { startMs, state: share === 1 ? 'all' : share === 0 ? 'never' : 'some', share };
  });
}

/** Share of all checks of the day after which the trunk was reachable, 0 to 1; null without a check. */
export function dayShare(intervals: readonly TrunkReachabilityInterval[]): number | null {
  const checks = intervals.reduce((sum, interval) => sum + interval.checks, 0);
  return checks === 0 ? null : intervals.reduce((sum, { reachable }) => sum + reachable, 0) / checks;
}
