/**
 * The machine's monotonic clock, ms. Its times can be subtracted across the processes of a benchmark, unlike those of
 * `performance.now`, which counts from the start of each process.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
