/**
 * Shares one worker among organizations by their use of it, such as reading time: next is the organization that has used least.
 * So an organization waits for at most one piece of work of each other organization, however long their queues are.
 */
export class OrganizationShares {
  /** Use by organization. Only organizations above `#leastUsed` that are not waiting are kept. */
  readonly #used = new Map<string, number>();
  /** The least use of the organizations that were waiting last. Others start with it: waiting earns no credit. */
  #leastUsed = 0;

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
    this.#leastUsed = least;
    for (const [organizationId, used] of this.#used) {
      if (used <= this.#leastUsed) this.#used.delete(organizationId);
    }
    return next;
  }

  /** Counts what a piece of work used, in the same unit for all. */
  used(organizationId: string, amount: number): void {
    this.#used.set(organizationId, this.#usedOf(organizationId) + amount);
  }

  #usedOf(organizationId: string): number {
    return this.#used.get(organizationId) ?? this.#leastUsed;
  }
}
