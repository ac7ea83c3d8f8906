/** Passes the finished lines of the log, masked, to one reader beside standard output. Without a reader they are not kept. */
export class LogRecords {
  #reader: ((record: unknown) => void) | null = null;

  /** Null: no reader any more. */
  readWith(reader: ((record: unknown) => void) | null): void {
    this.#reader = reader;
  }

  pass(record: unknown): void {
    this.#reader?.(record);
  }
}
