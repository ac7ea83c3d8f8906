/** Promises that wait for a condition on what was received so far. */
export class Watchers {
  readonly #looks = new Set<() => void>();

  /** Checks all conditions; call it after each arrival. */
  look(): void {
    for (const look of this.#looks) look();
  }

  /** Resolves when the condition holds, now or at a later `look`. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return;
        this.#looks.delete(look);
        resolve();
      };
      this.#looks.add(look);
      look();
    });
  }
}
