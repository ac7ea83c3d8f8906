import type { Clock } from '../engine/ports/clock.ts';

/** Resolves after so many ms, or at once where the signal aborts or has aborted. */
export function pause(clock: Pick<Clock, 'after'>, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
