import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
  replaceWithNoncontingentExpression,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { DatabaseError } from '../link/database-error.ts';
import type { DatabaseKind, DatabaseLink } from '../link/database-link.ts';
import { queryResult } from '../link/query-result.ts';
import { wireStatement } from '../link/wire-statement.ts';
import { PostgresCompiler } from '../postgres/postgres-compiler.ts';
import type { Tables } from '../schema/tables.ts';

export interface Links {
  readonly writer: DatabaseLink;
  readonly reader: DatabaseLink;
}

/**
 * Kysely over two links: a select goes to the reader, everything else to the writer, each as one message. Kysely's own
 * transactions are refused, because they would hold the writer while other code runs: use `Database.atomically`.
 */
export function linkedQueries(kind: DatabaseKind, links: Links): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: dialectOf(kind, new LinkDriver(links)),
    // SQLite accepts `IN ()`; PostgreSQL does not.
    plugins:
      kind === 'postgres' ? [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })] : [],
  });
}

function dialectOf(kind: DatabaseKind, driver: Driver): Dialect {
  switch (kind) {
    case 'sqlite':
      return {
        createAdapter: () => new LinkedSqliteAdapter(),
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
 * Kysely's own adapter runs one query at a time and queues the others without a bound. The links already order and bound all
 * queries.
 */
class LinkedSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
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
    return queryResult(results?.[0] ?? { rows: [], changes: 0 });
  }

  streamQuery(): never {
    throw new DatabaseError('failed', 'Queries are not streamed: read in pages');
  }
}
