import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DatabaseKind } from '../link/database-link.ts';

const CALL_COUNTS = [
  'calls',
  'answered',
  'duration_ms',
  'turns',
  'interruptions',
  'false_interruptions',
  'silences',
  'silence_ms',
  'tool_calls',
  'tool_failures',
] as const;
const CALL_COSTS = ['cost', 'cost_telephony', 'cost_transcriber', 'cost_llm', 'cost_voice'] as const;
const USAGE_COUNTS = [
  'calls',
  'audio_ms',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'characters',
] as const;
const BUCKETS = 64;

/**
 * Sums over ended calls, and the jobs that add a call to them. Calls that have ended before get a job too: the service adds
 * them some at a time. `schema/rollup-tables.ts` documents the columns.
 */
export function callRollups(kind: DatabaseKind): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await createJobs(db);
      await createCallRollups(db, kind);
      await createProviderRollups(db, kind);
    },
  };
}

/** SQLite: the rows are in the order of their key, as they are read. */
function inKeyOrder(kind: DatabaseKind) {
  return kind === 'sqlite' ? sql`WITHOUT ROWID` : sql``;
}

async function createJobs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('call_rollup_jobs')
    .addColumn('call_id', 'text', (c) => c.primaryKey().references('calls.id'))
    .execute();
  await sql`INSERT INTO call_rollup_jobs (call_id) SELECT id FROM calls
    WHERE status IN ('completed', 'no_answer', 'busy', 'canceled', 'failed')`.execute(db);
}

async function createCallRollups({ schema }: Kysely<unknown>, kind: DatabaseKind): Promise<void> {
  let table = schema
    .createTable('call_rollups')
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('grain', 'text', (c) => c.notNull())
    .addColumn('start_ms', 'bigint', (c) => c.notNull())
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('direction', 'text', (c) => c.notNull())
    .addColumn('end_reason', 'text', (c) => c.notNull())
    .addColumn('answer_type', 'text', (c) => c.notNull());
  for (const count of CALL_COUNTS) table = table.addColumn(count, 'bigint', (c) => c.notNull());
  for (const cost of CALL_COSTS) table = table.addColumn(cost, 'double precision', (c) => c.notNull());
  const key = ['organization_id', 'grain', 'start_ms', 'agent_id', 'direction', 'end_reason', 'answer_type'] as const;
  await table
    .addPrimaryKeyConstraint('call_rollups_pk', [...key])
    .modifyEnd(inKeyOrder(kind))
    .execute();
}

async function createProviderRollups({ schema }: Kysely<unknown>, kind: DatabaseKind): Promise<void> {
  let table = schema
    .createTable('provider_rollups')
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('start_ms', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull());
  for (const count of USAGE_COUNTS) table = table.addColumn(count, 'bigint', (c) => c.notNull());
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    table = table.addColumn(`b${bucket}`, 'bigint', (c) => c.notNull().defaultTo(0));
  }
  const key = ['organization_id', 'kind', 'start_ms', 'agent_id', 'provider', 'model'] as const;
  await table
    .addPrimaryKeyConstraint('provider_rollups_pk', [...key])
    .modifyEnd(inKeyOrder(kind))
    .execute();
}
