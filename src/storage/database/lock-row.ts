import type { Expression } from 'kysely';
import type { Database, Step } from './database.ts';

/** Tables whose rows others count from. */
type Counted = 'agents' | 'calls' | 'knowledge_bases';

/**
 * First in a transaction that reads what it counts on from (the next sequence of a call's events, the next place of a base's
 * sources) and has not changed the row of that call or base: on PostgreSQL, where transactions run beside each other, a second
 * one waits here until the first is done. SQLite has one writer, and nothing to wait for.
 */
export function lockRow({ kind, query }: Database, table: Counted, id: string | Expression<string>): readonly Step[] {
  if (kind === 'sqlite') return [];
  return [{ statement: query.selectFrom(table).select('id').where('id', '=', id).forNoKeyUpdate() }];
}
