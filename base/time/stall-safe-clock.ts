import type { Clock } from './clock.ts';

/** A timer later than this was delayed by a stall of the process or the machine. */
const STALL_MS = 100;
/** Input that arrived during the stall is processed for this long before the delayed timers fire. */
const CATCH_UP_MS = 40;

/**
 * The process's time, for code that compares timers with input. After a stall, Node runs timers before it reads sockets:
 * a pause in speech would appear to have ended although the speech is already in the socket's buffer. Here delayed timers
 * wait until the input has been read, and fire in the order in which they were due.
 *
 * @param startedAt origin of `nowUs`, in terms of `performance.now()`
 */
export function createStallSafeClock(startedAt = performance.now()): Clock {
  const delayed: (() => void)[] = [];
  const fireDelayed = () => {
    for (const fire of delayed.splice(0)) fire();
  };
  return {
    nowUs: () => Math.round((performance.now() - startedAt) * 1000),
    wallMs: () => Date.now(),
    after(delayMs, callback) {
      const dueMs = performance.now() + delayMs;
      let isCancelled = false;
      const timer = setTimeout(() => {
        if (delayed.length === 0 && performance.now() - dueMs <= STALL_MS) {
          callback();
          return;
        }
        if (delayed.push(() => isCancelled || callback()) === 1) setTimeout(fireDelayed, CATCH_UP_MS);
      }, delayMs);
      return () => {
        isCancelled = true;
        clearTimeout(timer);
      };
    },
  };
}
