/**
 * Shares one reader among organizations by reading time: next is the one that has used least. So no organization waits for more
 * than one source of each other one, however many those have or however long they take.
 */
export class ReadingTurns {
  /** Reading time by organization, ms. Only organizations above `#floorMs` that are not waiting are kept. */
  readonly #usedMs = new Map<string, number>();
  /** The least reading time of the organizations that were waiting last. Others start with it: waiting earns no credit. */
  #floorMs = 0;

  /** The organization to be read next among those with waiting sources; null without one. */
  next(waiting: readonly string[]): string | null {
    let next: string | null = null;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const organizationId of waiting) {
      const usedMs = this.#usedOf(organizationId);
      if (usedMs >= leastMs) continue;
      next = organizationId;
      leastMs = usedMs;
    }
    if (next === null) return null;
    this.#floorMs = leastMs;
    for (const [organizationId, usedMs] of this.#usedMs) {
      if (usedMs <= this.#floorMs) this.#usedMs.delete(organizationId);
    }
    return next;
  }

  /** Counts the time that a source of the organization took. */
  used(organizationId: string, ms: number): void {
    this.#usedMs.set(organizationId, this.#usedOf(organizationId) + ms);
  }

  #usedOf(organizationId: string): number {
    return this.#usedMs.get(organizationId) ?? this.#floorMs;
  }
}
