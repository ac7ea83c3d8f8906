import type { Expression } from 'kysely';
import type { Database, Step } from './database.ts';
import { prepared } from './prepared-statement.ts';

/** Tables whose rows are locked before a count. */
type LockableTable = 'agents' | 'calls' | 'knowledge_bases' | 'organizations';

const LOCK_CALL = prepared<{ callId: string }>()((query, slot) =>
  query.selectFrom('calls').select('id').where('id', '=', slot('callId')).forNoKeyUpdate(),
);

/**
 * Locks a parent row: the first step of a transaction that derives a number from stored rows, such as the next event sequence of a
 * call. Not needed if the transaction has already changed the parent row. On PostgreSQL a concurrent transaction waits here. SQLite
 * has one writer, so nothing waits.
 */
export function lockRow(
  { kind, query }: Database,
  table: LockableTable,
  id: string | Expression<string>,
): readonly Step[] {
  if (kind === 'sqlite') return [];
  return [{ statement: query.selectFrom(table).select('id').where('id', '=', id).forNoKeyUpdate() }];
}

const LOCK_OWN_CALL = prepared<{ callId: string }>()((query, slot) =>
  query
    .selectFrom('calls')
    .select('id')
    .where('id', '=', slot('callId'))
    .where('adopted_by', 'is', null)
    .forNoKeyUpdate(),
);

/** `lockRow` of a call that runs here. The transaction does nothing if another node has closed the call. SQLite has one node. */
export function lockOwnCall({ kind }: Pick<Database, 'kind'>, callId: string): readonly Step[] {
  return kind === 'sqlite' ? [] : [{ statement: LOCK_OWN_CALL.with({ callId }), mustChange: true }];
}

/** `lockRow` of a call. */
export function lockCall({ kind }: Pick<Database, 'kind'>, callId: string): readonly Step[] {
  return kind === 'sqlite' ? [] : [{ statement: LOCK_CALL.with({ callId }) }];
}
