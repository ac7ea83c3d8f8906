/** Wakes the event streams of calls when something of a call may have been stored. It knows neither the call nor what. */
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

  /** Rises with each wake-up: a reader whose number is still this one has missed nothing. */
  get wakeUps(): number {
    return this.#wakeUps;
  }

  wake(): void {
    this.#wakeUps++;
    for (const listener of this.#listeners) listener();
  }
}
