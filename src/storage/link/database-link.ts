/** A parameter that both databases can store. */
export type SqlValue = null | number | bigint | string | Uint8Array;

export interface WireStatement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /** The whole batch is undone if this statement neither changes nor returns a row. */
  readonly mustChange: boolean;
  /** One of a fixed set of texts: PostgreSQL parses it once a connection. SQLite keeps every statement prepared. */
  readonly isPrepared?: true;
}

export interface StatementResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly changes: number;
}

/** The main thread's end of a database: a SQLite worker, or connections to PostgreSQL. Rejects with a `DatabaseError`. */
export interface DatabaseLink {
  /** Runs one transaction. Null: a statement with `mustChange` changed no row, and nothing was changed. */
  run(statements: readonly WireStatement[]): Promise<readonly StatementResult[] | null>;
  /** Requests that wait or run. */
  readonly requests: number;
  /** Finishes earlier requests, then closes. Idempotent. */
  close(): Promise<void>;
}

/** The SQL dialect of a database. */
export type DatabaseKind = 'sqlite' | 'postgres';
