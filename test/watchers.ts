/** Those who wait until something holds of what has come so far. */
export class Watchers {
  readonly #looks = new Set<() => void>();

  /** Something has come. */
  look(): void {
    for (const look of this.#looks) look();
  }

  /** Resolves once it holds, now or at a look. */
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
