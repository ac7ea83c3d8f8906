import type { Expression } from 'kysely';
import type { Database, Step } from './database.ts';

/** Tables whose rows are locked before a count. */
type Counted = 'agents' | 'calls' | 'knowledge_bases' | 'organizations';

/**
 * First step of a transaction that derives a number from stored rows (the next event sequence of a call, the next place in a
 * knowledge base) and has not changed the parent row yet. On PostgreSQL a concurrent transaction waits here. SQLite has one
 * writer, so nothing waits.
 */
export function lockRow({ kind, query }: Database, table: Counted, id: string | Expression<string>): readonly Step[] {
  if (kind === 'sqlite') return [];
  return [{ statement: query.selectFrom(table).select('id').where('id', '=', id).forNoKeyUpdate() }];
}
