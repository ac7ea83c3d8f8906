/**
 * How long an entry waits for others to share its transaction. Each transaction wakes the main thread, and one step of the engine often
 * follows another within this time. A process that dies loses no more than this.
 */
export const GATHER_MS = 50;

/**
 * The wait of journal entries, shared by all calls of a node: writers that begin to wait within `GATHER_MS` continue together. So their
 * transactions reach the database in one message, and SQLite flushes them to the disk at once.
 */
export class JournalGathering {
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | null = null;

  /** Calls `proceed` once, after `GATHER_MS` at most, unless the returned function is called before. */
  wait(proceed: () => void): () => void {
    this.#waiting.add(proceed);
    this.#timer ??= setTimeout(() => this.#proceed(), GATHER_MS);
    return () => {
      this.#waiting.delete(proceed);
      if (this.#waiting.size === 0) this.#stopTimer();
    };
  }

  #proceed(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    this.#timer = null;
    for (const proceed of waiting) proceed();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
