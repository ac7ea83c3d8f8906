import type { Clock } from '../../engine/ports/clock.ts';

/** A timer that is later than this was not late by itself: the process, or the whole machine, stood still. */
const STANDSTILL_MS = 100;
/** What came in meanwhile is taken in first, for so long: it had come before the timer was due. */
const CATCH_UP_MS = 40;

/**
 * The process's own time for one call: engine time counts from `startedAt`, in the terms of `performance.now()`. After a
 * standstill a loop runs its timers before it reads what came in: a pause in speech would be over that was none. There they
 * wait, in the order in which they were due.
 */
export function createRealClock(startedAt = performance.now()): Clock {
  const held: (() => void)[] = [];
  const release = () => {
    for (const fire of held.splice(0)) fire();
  };
  return {
    nowUs: () => Math.round((performance.now() - startedAt) * 1000),
    wallMs: () => Date.now(),
    after(delayMs, callback) {
      const dueMs = performance.now() + delayMs;
      let isCancelled = false;
      const timer = setTimeout(() => {
        if (held.length === 0 && performance.now() - dueMs <= STANDSTILL_MS) {
          callback();
          return;
        }
        if (held.push(() => isCancelled || callback()) === 1) setTimeout(release, CATCH_UP_MS);
      }, delayMs);
      return () => {
        isCancelled = true;
        clearTimeout(timer);
      };
    },
  };
}
