import type { Database } from '../database/database.ts';

/** Longer than any node waits for an answer, ms. */
const KEPT_MS = 60_000;

/** Answers of one node to another, such as the trace of a call. All methods reject with a `DatabaseError`. */
export interface NodeAnswerRepository {
  /** Stores the answer of a request, once. */
  put(requestId: string, body: Uint8Array | null, nowMs: number): Promise<void>;
  /** Removes the answer and returns it. Undefined: there is none yet. */
  take(requestId: string): Promise<Uint8Array | null | undefined>;
}

export function createNodeAnswerRepository({ query }: Database): NodeAnswerRepository {
  return {
    put: async (id, body, nowMs) => {
      await query
        .deleteFrom('node_answers')
        .where('created_ms', '<', nowMs - KEPT_MS)
        .execute();
      await query
        .insertInto('node_answers')
        .values({ id, body, created_ms: nowMs })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    },
    take: async (id) => {
      const row = await query.deleteFrom('node_answers').where('id', '=', id).returning('body').executeTakeFirst();
      return row?.body;
    },
  };
}
