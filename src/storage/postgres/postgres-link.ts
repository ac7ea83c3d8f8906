import pg from 'pg';
import { DatabaseError } from '../link/database-error.ts';
import type { DatabaseLink, SqlValue, StatementResult, WireStatement } from '../link/database-link.ts';
import { NUMBERS_FROM_TEXT } from './number-types.ts';
import { isCollision, isConnectionLoss, isStalePlan, postgresError } from './postgres-fault.ts';

/**
 * The writer's connections write, the reader's can only read, so slow queries never take a connection from a commit. The lease of a
 * node is renewed on its own connection.
 */
export type PostgresRole = 'writer' | 'reader' | 'lease';

/** Connections of one process. PostgreSQL allows a hundred by default: six processes, with room for commands. */
const CONNECTIONS = { writer: 8, reader: 6, lease: 1 } as const satisfies Record<PostgresRole, number>;
/** Batches in progress; one more is refused at once. */
const PENDING_MAX = 10_000;
/** A batch waits this long for a connection, ms. Then it is refused, and nothing was sent. */
const CONNECT_TIMEOUT_MS = { writer: 5_000, reader: 5_000, lease: 2_000 } as const;
/** The server cancels a statement after this, ms, its waits for locks included. Of a lease: three tries fit into it. */
const STATEMENT_TIMEOUT_MS = { writer: 10_000, reader: 10_000, lease: 2_000 } as const;
/** Added to the statement timeout, ms: without a response by then the connection counts as dead. */
const SILENCE_MS = { writer: 2_000, reader: 2_000, lease: 500 } as const;
/**
 * Tries of a batch that was certainly not committed: it collided with another transaction, or its connection was dead before.
 * No try starts after `TRY_AGAIN_MS`. The server detects a deadlock after one second.
 */
const TRIES_MAX = 5;
const TRY_AGAIN_MS = 3_000;

/**
 * Compilation of a query with many sums takes longer than the query: the server would begin it at 100,000 expected units of cost. And it
 * would read all rollups in three processes, where one finds those of the days by their index in less time. A count, which reads an index
 * alone, keeps its processes.
 */
const READER_OPTIONS = '-c default_transaction_read_only=on -c jit=off -c min_parallel_table_scan_size=16GB';

/** Prepared statements a connection; the server keeps the parsed text of each. The repositories have about sixty. */
const NAMES_MAX = 500;

/** A pool of connections to PostgreSQL. The next batch replaces a lost connection. */
export class PostgresLink implements DatabaseLink {
  readonly #pool: pg.Pool;
  readonly #names = new StatementNames();
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | null = null;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Resolves once the database answers. Rejects with a `DatabaseError` if it cannot be reached. */
  static async open(url: string, role: PostgresRole): Promise<PostgresLink> {
    const pool = new pg.Pool({
      connectionString: url,
      max: CONNECTIONS[role],
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS[role],
      statement_timeout: STATEMENT_TIMEOUT_MS[role],
      query_timeout: STATEMENT_TIMEOUT_MS[role] + SILENCE_MS[role],
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS[role],
      keepAlive: true,
      application_name: `trunkline ${role}`,
      ...(role === 'reader' && { options: READER_OPTIONS }),
      types: NUMBERS_FROM_TEXT,
    });
    // An idle connection was lost. The pool has dropped it, and the next batch takes another.
    pool.on('error', () => {});
    // A connection can be terminated in the chunk that makes it ready, before its user can listen. Without a listener that
    // error would end the process.
    pool.on('connect', (client) => client.on('error', () => {}));
    const link = new PostgresLink(pool);
    try {
      await link.run([{ sql: 'SELECT 1', parameters: [], mustChange: false }]);
      return link;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  run(statements: readonly WireStatement[]): Promise<readonly StatementResult[] | null> {
    if (this.#closing !== null) return Promise.reject(new DatabaseError('unavailable', 'The database is not open'));
    if (this.#running.size >= PENDING_MAX) {
      return Promise.reject(new DatabaseError('overloaded', `${PENDING_MAX} database requests are waiting already`));
    }
    const running = this.#tried(statements);
    const settled = running.then(
      () => {},
      () => {},
    );
    this.#running.add(settled);
    void settled.then(() => this.#running.delete(settled));
    return running;
  }

  get requests(): number {
    return this.#running.size;
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all(this.#running).then(() => this.#pool.end());
    return this.#closing;
  }

  async #tried(statements: readonly WireStatement[]): Promise<readonly StatementResult[] | null> {
    const startedMs = performance.now();
    for (let tried = 1; ; tried += 1) {
      const batch = new Batch(statements, this.#names);
      try {
        return await this.#once(batch);
      } catch (error) {
        const isStale = isStalePlan(error);
        if (isStale) this.#names.renew();
        const undone =
          isStale || isCollision(error) || (isConnectionLoss(error) && batch.begun && !batch.mayBeCommitted);
        const tooLate = tried >= TRIES_MAX || performance.now() - startedMs > TRY_AGAIN_MS;
        if (!undone || tooLate) throw postgresError(error);
      }
    }
  }

  async #once(batch: Batch): Promise<readonly StatementResult[] | null> {
    const client = await this.#pool.connect();
    let lost: Error | undefined;
    // Without a listener a connection that breaks between two statements would end the process.
    const onError = (error: Error) => {
      lost = error;
    };
    client.on('error', onError);
    try {
      return await batch.run(client);
    } catch (error) {
      if (isConnectionLoss(error)) lost = error instanceof Error ? error : new Error(String(error));
      else if (lost === undefined) lost = await rollBack(client);
      throw error;
    } finally {
      client.off('error', onError);
      client.release(lost);
    }
  }
}

/** One try of a batch. */
class Batch {
  /** It got a connection. */
  begun = false;
  /** The server may have committed it even if an error comes back. */
  mayBeCommitted = false;
  readonly #statements: readonly WireStatement[];
  readonly #names: StatementNames;

  constructor(statements: readonly WireStatement[], names: StatementNames) {
    this.#statements = statements;
    this.#names = names;
  }

  async run(client: pg.PoolClient): Promise<readonly StatementResult[] | null> {
    this.begun = true;
    const [only, ...more] = this.#statements;
    if (only === undefined) return [];
    if (more.length === 0) {
      // A statement is a transaction by itself.
      this.mayBeCommitted = !/^\s*select/i.test(only.sql);
      const result = await this.#execute(client, only);
      return only.mustChange && result.changes === 0 ? null : [result];
    }
    await client.query('BEGIN');
    const results: StatementResult[] = [];
    for (const statement of this.#statements) {
      const result = await this.#execute(client, statement);
      if (statement.mustChange && result.changes === 0) {
        await client.query('ROLLBACK');
        return null;
      }
      results.push(result);
    }
    this.mayBeCommitted = true;
    await client.query('COMMIT');
    return results;
  }

  async #execute(client: pg.PoolClient, statement: WireStatement): Promise<StatementResult> {
    const { parameters, sql } = statement;
    const name = this.#names.of(statement);
    const query = { text: sql, values: parameters.map(pgValue), ...(name !== null && { name }) };
    const { rows, rowCount } = await client.query(query);
    return { rows, changes: rowCount ?? rows.length };
  }
}

/** Names of prepared statements. A connection parses a statement when it meets its name for the first time. */
class StatementNames {
  readonly #names = new Map<string, string>();
  #generation = 0;

  /** Gives every statement another name, so that each is parsed again. */
  renew(): void {
    this.#names.clear();
    this.#generation += 1;
  }

  /** Null: the statement stays unnamed, and is parsed at each run. */
  of({ isPrepared, sql }: WireStatement): string | null {
    if (isPrepared !== true) return null;
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= NAMES_MAX) return known ?? null;
    const name = `trunkline_${this.#generation}_${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return name;
  }
}

/** Returns the error of a connection that cannot roll back: it must not be used again. */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** pg writes only a Buffer as bytes. */
function pgValue(value: SqlValue): unknown {
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}
