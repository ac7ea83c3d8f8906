/**
 * Slots that organizations share. Each may hold at most as many as remain free (the dynamic threshold of Choudhury and Hahne, 1998):
 * one alone gets half of them, two get a third each, and a further one always finds a slot.
 */
export class FairSlots {
  readonly #held = new Map<string, number>();
  #free: number;

  constructor(total: number) {
    this.#free = total;
  }

  /** Whether `take` would return a slot. */
  isFree(organizationId: string): boolean {
    return (this.#held.get(organizationId) ?? 0) < this.#free;
  }

  /** null: the organization holds its share. Otherwise a function that returns the slot; a second call has no effect. */
  take(organizationId: string): (() => void) | null {
    if (!this.isFree(organizationId)) return null;
    this.#held.set(organizationId, (this.#held.get(organizationId) ?? 0) + 1);
    this.#free -= 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(organizationId);
      isHeld = false;
    };
  }

  #release(organizationId: string): void {
    const held = (this.#held.get(organizationId) ?? 0) - 1;
    if (held > 0) this.#held.set(organizationId, held);
    else this.#held.delete(organizationId);
    this.#free += 1;
  }
}
