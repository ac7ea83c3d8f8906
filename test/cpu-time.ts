/**
 * CPU time of this process in `run`, ms. Other processes do not increase it, unlike wall-clock time. A bound on it
 * therefore distinguishes quadratic from linear work on a busy machine too.
 */
export function cpuMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
