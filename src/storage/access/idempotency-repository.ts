import type { ExpressionBuilder } from 'kysely';
import type { Database, Step } from '../database/database.ts';
import { prepared } from '../database/prepared-statement.ts';
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

interface Key {
  readonly organizationId: string;
  readonly key: string;
}

const FORGET = prepared<{ createdMs: number }>()((query, slot) =>
  query.deleteFrom('idempotency_keys').where('created_ms', '<=', slot('createdMs')),
);

const CLAIM = prepared<Key & { requestHash: string; nowMs: number; nodeId: string | null }>()((query, slot) =>
  query
    .insertInto('idempotency_keys')
    .values({
      organization_id: slot('organizationId'),
      key: slot('key'),
      request_hash: slot('requestHash'),
      created_ms: slot('nowMs'),
      answer_status: null,
      answer_sealed: null,
      call_id: null,
      node_id: slot('nodeId'),
    })
    .onConflict((conflict) => conflict.doNothing()),
);

const FIND = prepared<Key>()((query, slot) =>
  query
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('organization_id', '=', slot('organizationId'))
    .where('key', '=', slot('key')),
);

const KEEP = prepared<Key & { status: number; answerSealed: string }>()((query, slot) =>
  query
    .updateTable('idempotency_keys')
    .set({ answer_status: slot('status'), answer_sealed: slot('answerSealed') })
    .where('organization_id', '=', slot('organizationId'))
    .where('key', '=', slot('key')),
);

const CALL_MADE = prepared<Key & { callId: string }>()((query, slot) =>
  query
    .updateTable('idempotency_keys')
    .set({ call_id: slot('callId') })
    .where('organization_id', '=', slot('organizationId'))
    .where('key', '=', slot('key')),
);

/** `nodeId` owns the requests; null with a single node. */
export function createIdempotencyRepository(database: Database, nodeId: string | null = null): IdempotencyRepository {
  const { query } = database;
  return {
    claim: async ({ organizationId, key, requestHash }, nowMs) => {
      const first = await database.atomically([
        { statement: FORGET.with({ createdMs: nowMs - REMEMBERED_MS }) },
        { statement: CLAIM.with({ organizationId, key, requestHash, nowMs, nodeId }), mustChange: true },
      ]);
      if (first) return { type: 'first' };
      const [known] = await database.rows(FIND.with({ organizationId, key }));
      if (known === undefined) return { type: 'in_progress' };
      if (known.request_hash !== requestHash) return { type: 'mismatch' };
      if (known.answer_status === null) return { type: 'in_progress' };
      if (known.answer_sealed === null) {
        return known.call_id === null ? { type: 'in_progress' } : { type: 'call_made', callId: known.call_id };
      }
      return { type: 'answered', status: known.answer_status, answerSealed: known.answer_sealed };
    },
    keep: async ({ organizationId, key }, status, answerSealed) => {
      await database.change(KEEP.with({ organizationId, key, status, answerSealed }));
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
export function callMade({ organizationId, key }: IdempotentRequest, callId: string): Step {
  return { statement: CALL_MADE.with({ organizationId, key, callId }) };
}
