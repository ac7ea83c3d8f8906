import type { QueryResult } from 'kysely';
import type { StatementResult } from './database-link.ts';

/** The one place where rows take the type that the query gave them, as in Kysely's own drivers. */
export function queryResult<R>(result: StatementResult): QueryResult<R> {
  return { rows: result.rows as R[], numAffectedRows: BigInt(result.changes) };
}
