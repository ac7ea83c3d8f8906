import type { Clock } from './clock.ts';

/** Resolves after `delayMs`, or at once when the signal aborts. Never rejects. */
export function pause(clock: Pick<Clock, 'after'>, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}
