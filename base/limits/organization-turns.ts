/**
 * Shares one worker among organizations by what they have used of it, such as reading time: next is the one that has used least.
 * So no organization waits for more than one piece of work of each other one, however many those have.
 */
export class OrganizationTurns {
  /** Use by organization. Only organizations above `#floor` that are not waiting are kept. */
  readonly #used = new Map<string, number>();
  /** The least use of the organizations that were waiting last. Others start with it: waiting earns no credit. */
  #floor = 0;

  /** The next organization among those with waiting work; null without one. */
  next(waiting: readonly string[]): string | null {
    let next: string | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const organizationId of waiting) {
      const used = this.#usedOf(organizationId);
      if (used >= least) continue;
      next = organizationId;
      least = used;
    }
    if (next === null) return null;
    this.#floor = least;
    for (const [organizationId, used] of this.#used) {
      if (used <= this.#floor) this.#used.delete(organizationId);
    }
    return next;
  }

  /** Counts what a piece of work used, in the same unit for all. */
  used(organizationId: string, amount: number): void {
    this.#used.set(organizationId, this.#usedOf(organizationId) + amount);
  }

  #usedOf(organizationId: string): number {
    return this.#used.get(organizationId) ?? this.#floor;
  }
}
