import { backoff } from '../../../base/time/backoff.ts';
import { pause } from '../../../base/time/pause.ts';
import { SYSTEM_CLOCK } from '../../../base/time/system-clock.ts';

/** Tries of a bounded write; with the delays below about a minute. */
export const TRIES_MAX = 12;
const RETRY_DELAY_MS = { first: 250, max: 8_000 };

/**
 * Retries a write until the database takes it. With `tries` the last error is thrown after that many; without, it is tried for as long as
 * the process lives: a call's end must reach its row.
 */
export async function persist<T>(run: () => Promise<T>, tries = Number.POSITIVE_INFINITY): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await run();
    } catch (error) {
      if (tried >= tries) throw error;
      await pause(SYSTEM_CLOCK, backoff(RETRY_DELAY_MS, tried - 1));
    }
  }
}
