/** Bounds of one page of a search, in calls. At a bound the page ends early, and the next page goes on. */
export interface SearchBounds {
  /** Calls that are read beyond those that the page returns. Each takes some µs, in which other queries wait. */
  readonly readMax: number;
  /** Calls whose text is read and checked: each takes some ten µs. */
  readonly checkedMax: number;
  /** Calls in a range of costs or response times that are read and sorted, not searched for in list order. */
  readonly sortedMax: number;
  /** A word that fewer calls have is searched for in all calls. */
  readonly commonMin: number;
  /** The newest calls that are searched for several words that more calls have: one call may never have them all. */
  readonly windowMax: number;
  /** PostgreSQL: calls of a word up to which its index finds them, by the estimate of the database. */
  readonly indexedMax: number;
}

export const BOUNDS: SearchBounds = {
  readMax: 5_000,
  checkedMax: 2_000,
  sortedMax: 2_000,
  commonMin: 1_000,
  windowMax: 50_000,
  // The statistics know the thousand most common words. Each of the others counts as half of the last of these: 1.5 % of the calls.
  indexedMax: 20_000,
};

/** Calls that the pages of several filters cover by their numbers: to count them, each is read. */
export const PAGED_MAX = 10_000;
