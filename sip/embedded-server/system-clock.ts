import type { Clock } from '../../engine/ports/clock.ts';

/** The machine's time. */
export const SYSTEM_CLOCK: Clock = {
  nowUs: () => Math.round(performance.now() * 1_000),
  wallMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
