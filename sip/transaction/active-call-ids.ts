/** The Call-IDs in use. Each counts its users: transactions or dialogs. */
export class ActiveCallIds {
  readonly #counts = new Map<string, number>();

  has(callId: string): boolean {
    return this.#counts.has(callId);
  }

  add(callId: string): void {
    this.#counts.set(callId, (this.#counts.get(callId) ?? 0) + 1);
  }

  remove(callId: string): void {
    const count = this.#counts.get(callId) ?? 0;
    if (count > 1) this.#counts.set(callId, count - 1);
    else this.#counts.delete(callId);
  }

  clear(): void {
    this.#counts.clear();
  }
}
