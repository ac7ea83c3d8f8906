import { setTimeout as pause } from 'node:timers/promises';
import type { TestService } from '../rig/test-service.ts';

const CHECK_EVERY_MS = 20;
/** Longer than the delay of a timer in an idle process, and shorter than a word. */
const STANDSTILL_MS = 100;
/** Share of the time by which the timers of an idle process are late. */
const IDLE_DELAY_SHARE = 0.1;

/**
 * Detects when the main thread or the media workers of a service did not run although they had work: once for
 * `STANDSTILL_MS`, or repeatedly for a shorter time.
 */
export class Standstills {
  readonly #service: TestService['service'];
  readonly #timer: NodeJS.Timeout;
  #lastMs = performance.now();
  /** Sum of recent delays of the check. It decreases while the checks are on time. */
  #delayMs = 0;
  #skipped = 0;
  #latestMs = Number.NEGATIVE_INFINITY;

  constructor({ service }: TestService) {
    this.#service = service;
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS);
  }

  /** True if a standstill ended at or after `ms`, on the clock of `performance.now`. */
  since(ms: number): boolean {
    this.#check();
    return this.#latestMs >= ms;
  }

  /** Resolves once no standstill has occurred for `ms`, or after `timeoutMs`. */
  async calm(ms: number, timeoutMs: number): Promise<void> {
    const startMs = performance.now();
    const deadlineMs = startMs + timeoutMs;
    for (;;) {
      const calmAtMs = Math.max(startMs, this.#latestMs) + ms;
      const waitMs = Math.min(calmAtMs, deadlineMs) - performance.now();
      if (waitMs <= 0) return;
      await pause(waitMs);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const nowMs = performance.now();
    const gapMs = nowMs - this.#lastMs;
    const lateMs = Math.max(0, gapMs - CHECK_EVERY_MS);
    const skipped = this.#service.media.workers.reduce((sum, worker) => sum + worker.skipped, 0);
    this.#delayMs = Math.max(0, this.#delayMs + lateMs - gapMs * IDLE_DELAY_SHARE);
    const stoodStill = lateMs > STANDSTILL_MS || this.#delayMs > STANDSTILL_MS || skipped > this.#skipped;
    if (stoodStill) this.#latestMs = nowMs;
    this.#lastMs = nowMs;
    this.#skipped = skipped;
  }
}
