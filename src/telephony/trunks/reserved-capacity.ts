/** Capacity of a trunk that a request takes before its call is dialled, so that no other request gets it. */
export class ReservedCapacity {
  readonly #trunkId: string;
  #release: (() => void) | null;

  constructor(trunkId: string, release: () => void) {
    this.#trunkId = trunkId;
    this.#release = release;
  }

  /**
   * Hands the capacity over to a call through this trunk. Returns its release; null for another trunk, or if it was claimed or
   * released before.
   */
  claim(trunkId: string): (() => void) | null {
    if (trunkId !== this.#trunkId) return null;
    const release = this.#release;
    this.#release = null;
    return release;
  }

  /** Releases capacity that no call has claimed. */
  release(): void {
    this.#release?.();
    this.#release = null;
  }
}
