import type { Expression } from 'kysely';
import type { Database, Step } from './database.ts';

/** Tables whose rows are locked before a count. */
type Counted = 'agents' | 'calls' | 'knowledge_bases' | 'organizations';

/**
 * Locks a parent row: the first step of a transaction that derives a number from stored rows, such as the next event sequence of a
 * call. Not needed if the transaction has already changed the parent row. On PostgreSQL a concurrent transaction waits here. SQLite
 * has one writer, so nothing waits.
 */
export function lockRow({ kind, query }: Database, table: Counted, id: string | Expression<string>): readonly Step[] {
  if (kind === 'sqlite') return [];
  return [{ statement: query.selectFrom(table).select('id').where('id', '=', id).forNoKeyUpdate() }];
}
