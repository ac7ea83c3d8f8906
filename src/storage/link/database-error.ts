/**
 * - `constraint`: the data contradicts what is stored (a number that exists already). The batch was undone.
 * - `full`: disk or database is full. The batch was undone.
 * - `unavailable`: the database worker or the connection is gone, or could not be opened. It is unknown whether the batch was
 *   committed.
 * - `overloaded`: too many requests are waiting, or other transactions held the same rows for too long. Nothing was changed.
 * - `locked`: another process holds the data directory.
 * - `incompatible`: this program cannot use the schema of the database.
 * - `failed`: anything else, such as a bug or a disk error. The batch was undone.
 */
export type DatabaseFault = 'constraint' | 'full' | 'unavailable' | 'overloaded' | 'locked' | 'incompatible' | 'failed';

export class DatabaseError extends Error {
  readonly fault: DatabaseFault;

  constructor(fault: DatabaseFault, message: string) {
    super(message);
    this.name = 'DatabaseError';
    this.fault = fault;
  }

  /** The same request may succeed later. */
  get retryable(): boolean {
    return this.fault === 'unavailable' || this.fault === 'overloaded' || this.fault === 'full';
  }
}
