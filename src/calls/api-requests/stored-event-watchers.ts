/** Wakes the event streams of calls when events may have been stored. It knows neither the call nor the event. */
export class StoredEventWatchers {
  readonly #listeners = new Set<() => void>();

  /** Returns a function that removes the listener. */
  onStored(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get watching(): number {
    return this.#listeners.size;
  }

  wake(): void {
    for (const listener of this.#listeners) listener();
  }
}
