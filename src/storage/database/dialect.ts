import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  DummyDriver,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  replaceWithNoncontingentExpression,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { DatabaseError } from '../link/database-error.ts';
import type { DatabaseKind, DatabaseLink, SqlValue, WireStatement } from '../link/database-link.ts';
import type { Tables } from '../schema/tables.ts';

export interface Links {
  readonly writer: DatabaseLink;
  readonly reader: DatabaseLink;
}

/**
 * Kysely over two links: a select goes to the reader, everything else to the writer, each as one message.
 * Transactions of Kysely's own are refused: they would hold the writer while the main thread does other things. What
 * has to be atomic goes through `Database.atomically`.
 */
export function linkedQueries(kind: DatabaseKind, links: Links): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: dialectOf(kind, new LinkDriver(links)),
    // SQLite takes an empty list by itself.
    plugins:
      kind === 'postgres' ? [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })] : [],
  });
}

/** Compiles statements and runs none. */
export function statementBuilder(kind: DatabaseKind): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: dialectOf(kind, new DummyDriver()) });
}

function dialectOf(kind: DatabaseKind, driver: Driver): Dialect {
  switch (kind) {
    case 'sqlite':
      return {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => driver,
        createIntrospector: (query) => new SqliteIntrospector(query),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      };
    case 'postgres':
      return {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => driver,
        createIntrospector: (query) => new PostgresIntrospector(query),
        createQueryCompiler: () => new PostgresCompiler(),
      };
  }
}

/**
 * An `integer` of a table holds 64 bits on SQLite, and so it does here: what the API lets through is then found or not, and
 * never out of range.
 */
class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: Parameters<PostgresQueryCompiler['visitDataType']>[0]): void {
    this.append(node.dataType === 'integer' ? 'bigint' : node.dataType);
  }
}

class LinkDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(links: Links) {
    this.#connection = new LinkConnection(links);
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new DatabaseError('failed', 'Transactions are not held open: use Database.atomically');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
}

class LinkConnection implements DatabaseConnection {
  readonly #links: Links;

  constructor(links: Links) {
    this.#links = links;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const link = query.query.kind === 'SelectQueryNode' ? this.#links.reader : this.#links.writer;
    const results = await link.run([wireStatement(query)]);
    const result = results?.[0] ?? { rows: [], changes: 0 };
    return { rows: asRows<R>(result.rows), numAffectedRows: BigInt(result.changes) };
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface asks for it, and no query here needs a stream.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new DatabaseError('failed', 'Queries are not streamed: read in pages');
  }
}

export function wireStatement(query: CompiledQuery, mustChange = false): WireStatement {
  return { sql: query.sql, parameters: query.parameters.map(sqlValue), mustChange };
}

function sqlValue(value: unknown): SqlValue {
  if (value === null || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string')
    return value;
  if (value instanceof Uint8Array) return value;
  throw new DatabaseError('failed', `A value of type ${typeof value} cannot be stored`);
}

/** The one place where rows take the type that the query gave them: Kysely's own drivers do the same. */
function asRows<R>(rows: readonly unknown[]): R[] {
  return rows as R[];
}
