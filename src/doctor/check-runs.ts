import type { Finding } from './finding.ts';

/** Time from the start of a run after which no other trunk is checked, ms: a client waits for the findings. */
const RUN_TIME_MS_MAX = 20_000;

/** Checks on demand, one run at a time. */
export class CheckRuns {
  readonly #check: (signal: AbortSignal) => Promise<readonly Finding[]>;
  #running: Promise<readonly Finding[]> | null = null;

  /** @param check stops early once its signal is aborted */
  constructor(check: (signal: AbortSignal) => Promise<readonly Finding[]>) {
    this.#check = check;
  }

  /** The findings of the run in progress, or of a new one. Rejects if the run failed. */
  run(): Promise<readonly Finding[]> {
    this.#running ??= this.#check(AbortSignal.timeout(RUN_TIME_MS_MAX)).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }
}
