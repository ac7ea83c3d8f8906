/**
 * - `constraint`: the data contradicts what is stored (a number that exists already). The batch was undone.
 * - `full`: disk or database is full. The batch was undone.
 * - `unavailable`: the database worker, or the connection, is gone or could not be had; whether the batch was committed is
 *   not known.
 * - `overloaded`: too much is waiting already, or others were at the same rows for too long; nothing was changed.
 * - `locked`: another process holds the data directory.
 * - `incompatible`: this program cannot use the schema of the database.
 * - `failed`: anything else, a fault of ours or of the disk. The batch was undone.
 */
export type DatabaseFault = 'constraint' | 'full' | 'unavailable' | 'overloaded' | 'locked' | 'incompatible' | 'failed';

export class DatabaseError extends Error {
  readonly fault: DatabaseFault;

  constructor(fault: DatabaseFault, message: string) {
    super(message);
    this.name = 'DatabaseError';
    this.fault = fault;
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return this.fault === 'unavailable' || this.fault === 'overloaded' || this.fault === 'full';
  }
}
