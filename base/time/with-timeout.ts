import type { Clock } from './clock.ts';
import { SYSTEM_CLOCK } from './system-clock.ts';

/**
 * Settles as `promise` does. After `timeoutMs` it settles as `onTimeout` does instead: with its value, or rejected with
 * what it throws. The promise itself continues; no timer remains.
 */
export async function withTimeout<T, L>(
  promise: Promise<T>,
  timeoutMs: number,
  onTimeout: () => L,
  clock: Pick<Clock, 'after'> = SYSTEM_CLOCK,
): Promise<T | L> {
  const { promise: timeout, resolve } = Promise.withResolvers<() => L>();
  const cancel = clock.after(timeoutMs, () => resolve(onTimeout));
  try {
    const settle = await Promise.race([promise.then((value) => () => value), timeout]);
    return settle();
  } finally {
    cancel();
  }
}
