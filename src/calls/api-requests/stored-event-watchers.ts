type Listener = () => void;

/** Wakes the event streams of a call when an event of it may have been stored. A wake-up does not name the event. */
export class StoredEventWatchers {
  /** By the id of the call. */
  readonly #listeners = new Map<string, Set<Listener>>();
  #wakeUps = 0;

  /** Returns a function that removes the listener. */
  onStored(callId: string, listener: Listener): () => void {
    const ofCall = this.#listeners.get(callId) ?? new Set<Listener>();
    this.#listeners.set(callId, ofCall.add(listener));
    return () => {
      ofCall.delete(listener);
      if (ofCall.size === 0 && this.#listeners.get(callId) === ofCall) this.#listeners.delete(callId);
    };
  }

  get watching(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Rises with each wake-up: a reader that read at the same number has missed no event. */
  get wakeUps(): number {
    return this.#wakeUps;
  }

  /** Null: events of any call may have been stored. */
  wake(callId: string | null): void {
    this.#wakeUps++;
    const woken = callId === null ? [...this.#listeners.values()] : [this.#listeners.get(callId) ?? []];
    for (const listeners of woken) for (const listener of listeners) listener();
  }
}
