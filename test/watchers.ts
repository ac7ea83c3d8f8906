/** Promises that resolve when a condition on the received data holds. */
export class Watchers {
  readonly #checks = new Set<() => void>();

  /** Checks all conditions. Call it after each arrival. */
  look(): void {
    for (const check of this.#checks) check();
  }

  /** Resolves when the condition holds, now or at a later `look`. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!holds()) return;
        this.#checks.delete(check);
        resolve();
      };
      this.#checks.add(check);
      check();
    });
  }
}
