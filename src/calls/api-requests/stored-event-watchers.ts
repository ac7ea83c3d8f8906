/** Wakes all event streams when an event of any call may have been stored. A wake-up names neither the call nor the event. */
export class StoredEventWatchers {
  readonly #listeners = new Set<() => void>();
  #wakeUps = 0;

  /** Returns a function that removes the listener. */
  onStored(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get watching(): number {
    return this.#listeners.size;
  }

  /** Rises with each wake-up: a reader that read at the same number has missed no event. */
  get wakeUps(): number {
    return this.#wakeUps;
  }

  wake(): void {
    this.#wakeUps++;
    for (const listener of this.#listeners) listener();
  }
}
