import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { z } from 'zod';
import { administrate } from '../../postgres/server.ts';
import { eventually } from './eventually.ts';

const callRow = z.object({
  id: z.string(),
  status: z.string(),
  end_reason: z.string().nullable(),
  dialog_json: z.string().nullable(),
  sip_call_id: z.string().nullable(),
  recording_path: z.string().nullable(),
  recording_complete: z.number().nullable(),
  /** The node that closed the call of another; null: its own process ended it. */
  adopted_by: z.string().nullable(),
});
const eventRow = z.object({
  id: z.string(),
  call_id: z.string(),
  sequence: z.number(),
  type: z.string(),
  status: z.string(),
});

const CALLS = `SELECT ${Object.keys(callRow.shape).join(', ')} FROM calls`;
const EVENTS = 'SELECT id, call_id, sequence, type, status FROM call_events ORDER BY call_id, sequence';
const ANSWERED = 'SELECT call_id FROM post_call_answers';
/** Connections of service processes. A commit may still run on a connection after its process has died. */
const CONNECTIONS =
  "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'trunkline %'";
/** Maximum wait while the service writes. */
const BUSY_MS = 10_000;
const INT8 = pg.types.builtins.INT8;

export interface StoredCalls {
  readonly calls: readonly z.output<typeof callRow>[];
  readonly events: readonly z.output<typeof eventRow>[];
  /** Ids of the calls with answers to post-call questions, one a row. */
  readonly answered: readonly string[];
}

/** Direct access to a service's database, even after the service was killed. */
export interface CallStore {
  read(): Promise<StoredCalls>;
  /** Gives a staged call another deadline, ms since 1970. */
  moveDeadline(callId: string, atMs: number): Promise<void>;
  /** Resolves when no statement of a dead process is running. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function sqliteStore(dataDir: string): CallStore {
  const file = join(dataDir, 'trunkline.db');
  const withDatabase = <T>(readOnly: boolean, use: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(file, { readOnly, timeout: BUSY_MS });
    try {
      return use(database);
    } finally {
      database.close();
    }
  };
  return {
    read: async () => withDatabase(true, (database) => stored((sql) => database.prepare(sql).all())),
    moveDeadline: async (callId, atMs) => {
      withDatabase(false, (database) =>
        database.prepare('UPDATE calls SET staging_deadline_ms = ? WHERE id = ?').run(atMs, callId),
      );
    },
    settled: async () => {},
    close: async () => {},
  };
}

export async function postgresStore(url: string): Promise<CallStore> {
  const client = new pg.Client({
    connectionString: url,
    // Integers as SQLite returns them; ours are below 2^53.
    types: {
      getTypeParser: (type, format) => (type === INT8 ? Number : pg.types.getTypeParser(type, format ?? 'text')),
    },
  });
  await client.connect();
  return {
    read: async () => {
      const rows = new Map<string, unknown[]>();
      for (const sql of [CALLS, EVENTS, ANSWERED]) rows.set(sql, (await client.query(sql)).rows);
      return stored((sql) => rows.get(sql));
    },
    moveDeadline: async (callId, atMs) => {
      await client.query('UPDATE calls SET staging_deadline_ms = $1 WHERE id = $2', [atMs, callId]);
    },
    settled: () =>
      eventually(async () => {
        const open = await administrate(url, CONNECTIONS);
        if (open.length > 0) throw new Error(`${open.length} connections of a dead process are open`);
      }),
    close: () => client.end(),
  };
}

function stored(rowsOf: (sql: string) => unknown): StoredCalls {
  return {
    calls: z.array(callRow).parse(rowsOf(CALLS)),
    events: z.array(eventRow).parse(rowsOf(EVENTS)),
    answered: z
      .array(z.object({ call_id: z.string() }))
      .parse(rowsOf(ANSWERED))
      .map(({ call_id }) => call_id),
  };
}
