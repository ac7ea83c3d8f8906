import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { DatabaseError, type DatabaseFault } from '../link/database-error.ts';
import type { StatementResult, WireStatement } from '../link/database-link.ts';
import { holdDataDir } from './data-dir-lock.ts';
import { makePrivateFile } from './private-files.ts';
import { resultCode } from './sqlite-result-code.ts';
import type { WireFault, WorkerSettings } from './worker-protocol.ts';

/** How long a statement waits for another connection's lock, ms: a checkpoint, a backup, or a write of a guest. */
const BUSY_TIMEOUT_MS = 5_000;
/** Prepared statements kept; the repositories have about a hundred, multi-row inserts add some. The oldest is dropped. */
const PREPARED_MAX = 500;

/** Primary result codes: https://www.sqlite.org/rescode.html */
const SQLITE_FULL = 13;
const SQLITE_CONSTRAINT = 19;
const SQLITE_NOTADB = 26;

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/** @throws DatabaseError with the path if the file is no database: SQLite does not name it. */
function openDatabaseFile(path: string, writes: boolean): DatabaseSync {
  const database = new DatabaseSync(path, {
    readOnly: !writes,
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
  });
  try {
    if (writes) database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    return database;
  } catch (error) {
    database.close();
    if (resultCode(error) !== SQLITE_NOTADB) throw error;
    throw new DatabaseError('failed', `${path} is not a database. Move it away, and restore a backup`);
  }
}

/** One connection to `DATA_DIR/trunkline.db` with its prepared statements. Runs in a worker, because every call blocks. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #lock: DatabaseSync | null;
  readonly #prepared = new Map<string, PreparedStatement>();

  constructor(settings: WorkerSettings) {
    const writes = settings.role !== 'reader';
    const holds = settings.role === 'writer';
    const path = join(settings.dataDir, 'trunkline.db');
    this.#lock = holds ? holdDataDir(settings.dataDir) : null;
    if (holds) makePrivateFile(path);
    try {
      this.#database = openDatabaseFile(path, writes);
    } catch (error) {
      this.#lock?.close();
      throw error;
    }
  }

  /** False too if SQLite rolled back by itself, as it does on a full disk. */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs a statement without parameters and without rows, such as BEGIN. It stays prepared. */
  exec(sql: string): void {
    this.#prepare(sql).statement.run();
  }

  run(wire: WireStatement): StatementResult {
    const { statement, returnsRows } = this.#prepare(wire.sql);
    if (returnsRows) {
      const rows = statement.all(...wire.parameters);
      return { rows, changes: rows.length };
    }
    return { rows: [], changes: Number(statement.run(...wire.parameters).changes) };
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
    this.#lock?.close();
  }

  #prepare(sql: string): PreparedStatement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#prepared.set(sql, prepared);
    if (this.#prepared.size > PREPARED_MAX) {
      for (const oldest of this.#prepared.keys()) {
        this.#prepared.delete(oldest);
        break;
      }
    }
    return prepared;
  }
}

export function faultOf(error: unknown): WireFault {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof DatabaseError) return { fault: error.fault, message };
  const faults: { readonly [code: number]: DatabaseFault } = {
    [SQLITE_FULL]: 'full',
    [SQLITE_CONSTRAINT]: 'constraint',
  };
  return { fault: faults[resultCode(error) ?? -1] ?? 'failed', message };
}
