/**
 * The machine's monotonic clock in ms. Every process of a bench reads this one, so that a time taken in one can be
 * subtracted from a time taken in another (`performance.now` counts from each process's own start).
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
