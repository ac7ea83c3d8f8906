import type { Clock } from '../../../base/time/clock.ts';

/** How long an open stream trusts its key without asking the database, ms: a revoked key receives no more after it. */
export const KEY_TRUSTED_MS = 5_000;

/** Whether the key of an open stream may still read. Asks `isActive` at most once in `KEY_TRUSTED_MS`. Rejects when `isActive` rejects. */
export function periodicKeyCheck(
  isActive: () => Promise<boolean>,
  clock: Pick<Clock, 'wallMs'>,
): () => Promise<boolean> {
  let checkedMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const nowMs = clock.wallMs();
    // The wall clock may have been set back.
    if (Math.abs(nowMs - checkedMs) < KEY_TRUSTED_MS) return true;
    const mayRead = await isActive();
    checkedMs = nowMs;
    return mayRead;
  };
}
