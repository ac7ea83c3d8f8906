/**
 * CPU time in ms that this process spends in `run`. Unlike the time on the clock it does not grow while other processes use
 * the processor, so a bound on it tells quadratic work from linear work on a busy machine too.
 */
export function cpuMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
