/** A place among a trunk's calls that an order takes before its call is dialled, so that no other order is promised it. */
export class ReservedPlace {
  readonly #trunkId: string;
  #release: (() => void) | null;

  constructor(trunkId: string, release: () => void) {
    this.#trunkId = trunkId;
    this.#release = release;
  }

  /** Hands the place over, once, to a call through its trunk: what gives it back. Null for another trunk's. */
  claim(trunkId: string): (() => void) | null {
    if (trunkId !== this.#trunkId) return null;
    const release = this.#release;
    this.#release = null;
    return release;
  }

  /** Gives the place back where it was not claimed. */
  release(): void {
    this.#release?.();
    this.#release = null;
  }
}
