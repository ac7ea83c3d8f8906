/** Tells whoever watches a call that something may have been stored. It knows neither which call nor what. */
export class CallWatchers {
  readonly #listeners = new Set<() => void>();

  /** The function returned takes the listener away again. */
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
