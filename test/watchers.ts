/** Promises that resolve when a condition on the received data holds. */
export class Watchers {
  readonly #checks = new Set<() => void>();

  /** Checks all conditions. Call it after new data arrived. */
  check(): void {
    for (const resolveIfTrue of this.#checks) resolveIfTrue();
  }

  /** Resolves when the condition holds, now or at a later `check`. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const resolveIfTrue = () => {
        if (!holds()) return;
        this.#checks.delete(resolveIfTrue);
        resolve();
      };
      this.#checks.add(resolveIfTrue);
      resolveIfTrue();
    });
  }
}
