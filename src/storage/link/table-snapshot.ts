import type { DatabaseKind, SqlValue } from '../link/database-link.ts';

/** The values of a row, in the order of `TableColumns`. */
export type TableRow = readonly SqlValue[];

export interface TableColumns {
  readonly table: string;
  readonly columns: readonly string[];
}

/**
 * All rows of a database as of one moment, read beside the processes that write to it. Rows are read one by one: a table of any size
 * needs little memory. All methods reject with a `DatabaseError`, or throw the error of SQLite.
 */
export interface TableSnapshot {
  readonly kind: DatabaseKind;
  /** The migrations that the database has, in the order of their names. */
  readonly migrations: readonly string[];
  /** The backed-up tables, each after the tables that it refers to. Tables of later migrations are missing. */
  readonly tables: readonly TableColumns[];
  rows(table: TableColumns): AsyncIterable<TableRow>;
  /** Idempotent. */
  close(): Promise<void>;
}

/**
 * A new database that is filled by `insert` and becomes visible at `commit`. Exactly one of `commit` and `abandon` ends it. All methods
 * reject with a `DatabaseError`.
 */
export interface TableRestore {
  /** Inserts rows of one table. Rows of the tables that it refers to come first. */
  insert(table: TableColumns, rows: readonly TableRow[]): Promise<void>;
  /** Upgrades the schema to the newest, and makes the database visible. */
  commit(): Promise<void>;
  /** Leaves nothing. */
  abandon(): Promise<void>;
}

/** An identifier of SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
