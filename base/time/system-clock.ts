import type { Clock } from './clock.ts';

/** Time of this machine, counted from the start of the process. */
export const SYSTEM_CLOCK: Clock = {
  nowUs: () => Math.round(performance.now() * 1_000),
  wallMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
