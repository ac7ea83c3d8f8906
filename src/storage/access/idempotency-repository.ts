import type { ExpressionBuilder } from 'kysely';
import type { Database, Step } from '../database/database.ts';
import type { Tables } from '../schema/tables.ts';

/** How long a key is remembered, ms. */
const REMEMBERED_MS = 24 * 60 * 60 * 1_000;

export interface IdempotentRequest {
  readonly organizationId: string;
  readonly key: string;
  /** SHA-256 of method, path and body. */
  readonly requestHash: string;
}

export type IdempotencyClaim =
  /** The first request with this key: handle it, then `keep` its response or `release` the key. */
  | { readonly type: 'first' }
  | { readonly type: 'in_progress' }
  /** The key was used with another request. */
  | { readonly type: 'mismatch' }
  | { readonly type: 'answered'; readonly status: number; readonly answerSealed: string }
  /** The process created this call and died before it stored the response. */
  | { readonly type: 'call_made'; readonly callId: string };

/** A request that created a call and got no response. */
const MADE_STATUS = 201;

/**
 * Responses by `Idempotency-Key`, kept for 24 h. They are sealed by `Secrets`, because one may hold a secret that is shown once.
 * All methods reject with a `DatabaseError`.
 */
export interface IdempotencyRepository {
  /** Exactly one of concurrent claims is `first`. */
  claim(request: IdempotentRequest, nowMs: number): Promise<IdempotencyClaim>;
  keep(request: IdempotentRequest, status: number, answerSealed: string): Promise<void>;
  /**
   * Frees the key after a temporary failure: the next request with it is a first again. No effect if the key has a response or
   * belongs to another node.
   */
  release(request: IdempotentRequest): Promise<void>;
  /** Releases the requests of this node's dead process, except those that created their call. */
  releaseAll(): Promise<void>;
}

/** `nodeId` owns the requests; null with a single node. */
export function createIdempotencyRepository(database: Database, nodeId: string | null = null): IdempotencyRepository {
  const { query } = database;
  return {
    claim: async ({ organizationId, key, requestHash }, nowMs) => {
      const row = { organization_id: organizationId, key, request_hash: requestHash, created_ms: nowMs };
      const first = await database.atomically([
        { statement: query.deleteFrom('idempotency_keys').where('created_ms', '<=', nowMs - REMEMBERED_MS) },
        {
          statement: query
            .insertInto('idempotency_keys')
            .values({ ...row, answer_status: null, answer_sealed: null, call_id: null, node_id: nodeId })
            .onConflict((conflict) => conflict.doNothing()),
          mustChange: true,
        },
      ]);
      if (first) return { type: 'first' };
      const known = await query
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('key', '=', key)
        .executeTakeFirst();
      if (known === undefined) return { type: 'in_progress' };
      if (known.request_hash !== requestHash) return { type: 'mismatch' };
      if (known.answer_status === null) return { type: 'in_progress' };
      if (known.answer_sealed === null) {
        return known.call_id === null ? { type: 'in_progress' } : { type: 'call_made', callId: known.call_id };
      }
      return { type: 'answered', status: known.answer_status, answerSealed: known.answer_sealed };
    },
    keep: async ({ organizationId, key }, status, answerSealed) => {
      await query
        .updateTable('idempotency_keys')
        .set({ answer_status: status, answer_sealed: answerSealed })
        .where('organization_id', '=', organizationId)
        .where('key', '=', key)
        .execute();
    },
    release: async ({ organizationId, key }) => {
      await query
        .deleteFrom('idempotency_keys')
        .where('organization_id', '=', organizationId)
        .where('key', '=', key)
        .where('answer_status', 'is', null)
        .where('node_id', nodeId === null ? 'is' : '=', nodeId)
        .execute();
    },
    releaseAll: async () => {
      const own = (eb: ExpressionBuilder<Tables, 'idempotency_keys'>) =>
        nodeId === null ? eb.lit(true) : eb.or([eb('node_id', 'is', null), eb('node_id', '=', nodeId)]);
      const made = query.updateTable('idempotency_keys').set({ answer_status: MADE_STATUS });
      const unanswered = query.deleteFrom('idempotency_keys').where('answer_status', 'is', null).where(own);
      await database.atomically([
        { statement: made.where('answer_status', 'is', null).where('call_id', 'is not', null).where(own) },
        { statement: unanswered },
      ]);
    },
  };
}

/** Belongs in the transaction that stores the call. */
export function callMade(
  { query }: Pick<Database, 'query'>,
  { organizationId, key }: IdempotentRequest,
  callId: string,
): Step {
  const statement = query
    .updateTable('idempotency_keys')
    .set({ call_id: callId })
    .where('organization_id', '=', organizationId)
    .where('key', '=', key);
  return { statement };
}
