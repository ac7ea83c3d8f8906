import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { databaseNowMs } from '../database/database-clock.ts';

/** Longer than any node waits for an answer or for its command to be taken, ms. */
export const REQUEST_KEPT_MS = 60_000;

/** Answers of one node to another, such as the trace of a call. All methods reject with a `DatabaseError`. */
export interface NodeAnswerRepository {
  /** Stores the answer of a request, once. */
  put(requestId: string, body: Uint8Array | null): Promise<void>;
  /** Removes the answer and returns it. Undefined: there is none yet. */
  take(requestId: string): Promise<Uint8Array | null | undefined>;
  /** Removes answers that no node waits for any more. */
  removeOld(): Promise<void>;
}

export function createNodeAnswerRepository({ kind, query }: Database): NodeAnswerRepository {
  return {
    put: async (id, body) => {
      await query
        .insertInto('node_answers')
        .values({ id, body, created_ms: databaseNowMs(kind) })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    },
    take: async (id) => {
      const row = await query.deleteFrom('node_answers').where('id', '=', id).returning('body').executeTakeFirst();
      return row?.body;
    },
    removeOld: async () => {
      await query
        .deleteFrom('node_answers')
        .where('created_ms', '<', sql<number>`${databaseNowMs(kind)} - ${sql.lit(REQUEST_KEPT_MS)}`)
        .execute();
    },
  };
}
