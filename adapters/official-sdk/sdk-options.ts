import type { ConnectionPool } from '../http/connection-pool.ts';
import { fetchOver } from '../http/pool-fetch.ts';

/** The longest that a timer of Node takes; every request has a shorter deadline of ours. Unit: ms. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Options of both SDKs: the engine retries, our deadlines apply, and nothing is printed. */
export function sdkOptions(pool: ConnectionPool) {
  return { maxRetries: 0, timeout: NO_TIMEOUT_MS, logLevel: 'off', fetch: fetchOver(pool) } as const;
}
