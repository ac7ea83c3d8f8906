import type { TestService } from '../rig/test-service.ts';

const LOOK_EVERY_MS = 20;
/** Longer than the lateness of an idle process's timers, and shorter than a word. */
const STANDSTILL_MS = 100;

/** Times at which this process had work and did not run: its main thread, or the media workers of its service. */
export class Standstills {
  readonly #service: TestService['service'];
  readonly #timer: NodeJS.Timeout;
  #lastMs = performance.now();
  #skipped = 0;
  #latestMs = Number.NEGATIVE_INFINITY;

  constructor({ service }: TestService) {
    this.#service = service;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  /** Whether a standstill ended after `sinceMs`, on the clock of `performance.now`. */
  since(ms: number): boolean {
    this.#look();
    return this.#latestMs >= ms;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    const skipped = this.#service.media.workers.reduce((sum, worker) => sum + worker.skipped, 0);
    if (nowMs - this.#lastMs > LOOK_EVERY_MS + STANDSTILL_MS || skipped > this.#skipped) this.#latestMs = nowMs;
    this.#lastMs = nowMs;
    this.#skipped = skipped;
  }
}
