/**
 * Response times of many calls, counted in fixed buckets, so that the counts of any calls add up. Bucket 0 is below 100 ms, the last one
 * from 20 s on; between them each bucket is 8.9 % wide. A percentile is the geometric middle of its bucket: off by at most 4.4 %
 * within those bounds.
 */
export const BUCKETS = 64;
const FIRST_MS = 100;
const LAST_MS = 20_000;
const WIDTH = (LAST_MS / FIRST_MS) ** (1 / (BUCKETS - 2));

export type BucketColumn = `b${number}`;
export const BUCKET_COLUMNS: readonly BucketColumn[] = Array.from(
  { length: BUCKETS },
  (_, bucket): BucketColumn => `b${bucket}`,
);

export function bucketOf(ms: number): number {
  if (ms < FIRST_MS) return 0;
  return Math.min(BUCKETS - 1, 1 + Math.floor(Math.log(ms / FIRST_MS) / Math.log(WIDTH)));
}

/** A percentile (nearest rank) in whole ms; null without a count. Below 100 ms and from 20 s on it is that bound. */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(share * total));
  let seen = 0;
  const bucket = counts.findIndex((count) => {
    seen += count;
    return seen >= rank;
  });
  if (bucket === 0) return FIRST_MS;
  if (bucket === BUCKETS - 1) return LAST_MS;
  return Math.round(FIRST_MS * WIDTH ** (bucket - 0.5));
}
