/** What a statement may be given: what both databases can store. */
export type SqlValue = null | number | bigint | string | Uint8Array;

export interface WireStatement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /** The batch goes on only where this statement changed or returned a row; else all of the batch is undone. */
  readonly mustChange: boolean;
}

export interface StatementResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly changes: number;
}

/** The main thread's end of a database: a worker with SQLite, or connections to PostgreSQL. Rejects with a `DatabaseError`. */
export interface DatabaseLink {
  /** One transaction; null where a statement that had to change something did not, and nothing was changed. */
  run(statements: readonly WireStatement[]): Promise<readonly StatementResult[] | null>;
  /** Answers what was asked before, then closes. Idempotent. */
  close(): Promise<void>;
}

/** Which SQL a database speaks. */
export type DatabaseKind = 'sqlite' | 'postgres';
