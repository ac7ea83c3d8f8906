/** Shortest time between two reads that wait, ms: a read costs the service more than an event. */
export const READ_INTERVAL_MS = 5_000;

/** Reads again after changes: at once, or together with the other changes of the next interval. */
export class PacedReads {
  readonly #read: () => void;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(read: () => void) {
    this.#read = read;
  }

  soon(): void {
    this.#timer ??= setTimeout(() => this.now(), READ_INTERVAL_MS);
  }

  /** Serves a read that waits, too. */
  now(): void {
    this.stop();
    this.#read();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
