import { backoff } from '../../../base/time/backoff.ts';
import { pause } from '../../../base/time/pause.ts';
import { SYSTEM_CLOCK } from '../../../base/time/system-clock.ts';
import { DatabaseError } from '../link/database-error.ts';

/** Tries of a bounded write; with the delays below about a minute. */
export const TRIES_MAX = 12;
const RETRY_DELAY_MS = { first: 250, max: 8_000 };

/**
 * Retries a write until the database takes it. With `tries` the last error is thrown after that many; without, it is tried for as long as
 * the process lives: a call's end must reach its row.
 */
export function persist<T>(run: () => Promise<T>, tries = Number.POSITIVE_INFINITY): Promise<T> {
  return retried(run, (_error, tried) => tried >= tries);
}

/**
 * Retries a write for as long as the database is unreachable. Errors that are not `retryable` may come from the write itself: after `TRIES_MAX`
 * of them the last one is thrown, so that the writes after it are not blocked for ever.
 */
export function persistThroughOutage<T>(run: () => Promise<T>): Promise<T> {
  let refusals = 0;
  return retried(run, (error) => {
    if (error instanceof DatabaseError && error.retryable) return false;
    refusals += 1;
    return refusals >= TRIES_MAX;
  });
}

async function retried<T>(run: () => Promise<T>, isLast: (error: unknown, tried: number) => boolean): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await run();
    } catch (error) {
      if (isLast(error, tried)) throw error;
      await pause(SYSTEM_CLOCK, backoff(RETRY_DELAY_MS, tried - 1));
    }
  }
}
