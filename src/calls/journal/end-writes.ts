import { persist } from '../../storage/database/persist.ts';

/** More ends would fill the memory while the database refuses writes. */
const WAITING_MAX = 1_000;

/** Writes the ends of calls in the background, after their INVITEs had their final responses. */
export class EndWrites {
  readonly #waiting = new Set<Promise<void>>();

  /** Whether no call may begin until the database has taken an end. */
  get isFull(): boolean {
    return this.#waiting.size >= WAITING_MAX;
  }

  /** Retries the write until the database takes it. */
  add(write: () => Promise<unknown>): void {
    const waiting = persist(write).then(() => void this.#waiting.delete(waiting));
    this.#waiting.add(waiting);
  }

  /** Resolves once the database has all ends so far. */
  async written(): Promise<void> {
    await Promise.all(this.#waiting);
  }
}
