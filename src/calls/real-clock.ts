import type { Clock } from '../../engine/ports/clock.ts';

/** The process's own time for one call: engine time counts from `startedAt`, in the terms of `performance.now()`. */
export function createRealClock(startedAt = performance.now()): Clock {
  return {
    nowUs: () => Math.round((performance.now() - startedAt) * 1000),
    wallMs: () => Date.now(),
    after(delayMs, callback) {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  };
}
