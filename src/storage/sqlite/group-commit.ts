import type { StatementResult } from '../link/database-link.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { faultOf } from './sqlite-connection.ts';
import type { Batch, BatchAnswer } from './worker-protocol.ts';

/** Batches of one commit; more wait for the next. Bounds how long the first batch waits for the last. */
export const GROUP_BATCHES_MAX = 500;

/**
 * Runs batches in one transaction, with one flush to the disk. Each batch is atomic by itself (a savepoint). Answers are sent
 * after the commit, so an answered batch is on the disk.
 */
export function commitGroup(connection: SqliteConnection, group: readonly Batch[]): BatchAnswer[] {
  try {
    connection.exec('BEGIN IMMEDIATE');
    const answers = group.map((batch) => runBatch(connection, batch));
    connection.exec('COMMIT');
    return answers;
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    const fault = faultOf(error);
    return group.map(({ id }) => ({ type: 'refused', id, ...fault }));
  }
}

/** Throws only if the surrounding transaction is lost. */
function runBatch(connection: SqliteConnection, batch: Batch): BatchAnswer {
  connection.exec('SAVEPOINT batch');
  try {
    const results: StatementResult[] = [];
    for (const statement of batch.statements) {
      const result = connection.run(statement);
      if (statement.mustChange && result.changes === 0) {
        rollBack(connection);
        return { type: 'done', id: batch.id, results: null };
      }
      results.push(result);
    }
    connection.exec('RELEASE batch');
    return { type: 'done', id: batch.id, results };
  } catch (error) {
    if (!connection.inTransaction) throw error;
    rollBack(connection);
    return { type: 'refused', id: batch.id, ...faultOf(error) };
  }
}

/** Undoes the batch, and nothing of the transaction around it. */
function rollBack(connection: SqliteConnection): void {
  connection.exec('ROLLBACK TO batch');
  connection.exec('RELEASE batch');
}
