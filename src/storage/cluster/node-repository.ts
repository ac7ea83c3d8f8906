import { type RawBuilder, sql } from 'kysely';
import { type CallRecord, readCall } from '../calls/call-record.ts';
import type { Database } from '../database/database.ts';
import { databaseNowMs } from '../database/database-clock.ts';
import { OPEN_STATUSES } from '../schema/call-status.ts';

/** The lease of the leader, which alone runs webhooks, post-call questions, knowledge ingestion and retention. */
const BACKGROUND = 'background';

/**
 * The nodes that share a database. Leases use the database's clock, so the nodes' clocks need not agree. All methods reject
 * with a `DatabaseError`.
 */
export interface NodeRepository {
  /** Extends the lease of this node to `leaseMs` from now. False if it had expired, so that others may have closed its calls. */
  renew(nodeId: string, leaseMs: number): Promise<boolean>;
  /** Takes or extends the leader's lease. True for at most one node at a time. */
  lead(nodeId: string, leaseMs: number): Promise<boolean>;
  /** Ends the leader's lease if the node is the leader. */
  resign(nodeId: string): Promise<void>;
  /** Ends the lease of the node, and of the leader if it is one. */
  leave(nodeId: string): Promise<void>;
  /** Whether the node's lease is valid. */
  isAlive(nodeId: string): Promise<boolean>;
  /** The nodes with a valid lease. */
  alive(): Promise<readonly string[]>;
  /** Whether another node's lease is valid. */
  hasOthers(nodeId: string): Promise<boolean>;
  /** Orphaned calls: in flight, and their node's lease has expired. Staged calls are not among them: any node may claim one. */
  lostCalls(): Promise<CallRecord[]>;
}

export function createNodeRepository({ kind, query }: Database): NodeRepository {
  const nowMs = () => databaseNowMs(kind);
  const until = (leaseMs: number): RawBuilder<number> => sql<number>`${nowMs()} + ${sql.lit(leaseMs)}`;
  const living = () => query.selectFrom('nodes').select('nodes.id').where('nodes.lease_until_ms', '>', nowMs());

  const resign = async (nodeId: string): Promise<void> => {
    await query.deleteFrom('node_duties').where('node_id', '=', nodeId).execute();
  };

  return {
    renew: async (nodeId, leaseMs) => {
      const extended = await query
        .updateTable('nodes')
        .set({ lease_until_ms: until(leaseMs) })
        .where('id', '=', nodeId)
        .where('lease_until_ms', '>', nowMs())
        .executeTakeFirst();
      if (extended.numUpdatedRows > 0n) return true;
      await query
        .insertInto('nodes')
        .values({ id: nodeId, lease_until_ms: until(leaseMs) })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ lease_until_ms: until(leaseMs) }))
        .execute();
      return false;
    },
    lead: async (nodeId, leaseMs) => {
      const taken = await query
        .insertInto('node_duties')
        .values({ duty: BACKGROUND, node_id: nodeId, lease_until_ms: until(leaseMs) })
        .onConflict((conflict) =>
          conflict
            .column('duty')
            .doUpdateSet({ node_id: nodeId, lease_until_ms: until(leaseMs) })
            .where((eb) =>
              eb.or([eb('node_duties.node_id', '=', nodeId), eb('node_duties.lease_until_ms', '<=', nowMs())]),
            ),
        )
        .executeTakeFirst();
      return (taken.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    resign,
    leave: async (nodeId) => {
      await resign(nodeId);
      await query.deleteFrom('nodes').where('id', '=', nodeId).execute();
    },
    isAlive: async (nodeId) => (await living().where('nodes.id', '=', nodeId).executeTakeFirst()) !== undefined,
    alive: async () => (await living().execute()).map(({ id }) => id),
    hasOthers: async (nodeId) =>
      (await living().where('nodes.id', '<>', nodeId).limit(1).executeTakeFirst()) !== undefined,
    lostCalls: async () => {
      const rows = await query
        .selectFrom('calls')
        .selectAll()
        .where('status', 'in', OPEN_STATUSES)
        .where('status', '<>', 'staged')
        .where('node_id', 'is not', null)
        .where('node_id', 'not in', living())
        .execute();
      await markExpired(query, rows);
      return rows.map(readCall);
    },
  };
}

/** Makes the missing rows of nodes that have left, so that `adopt` can lock the row of each node. */
async function markExpired(
  query: Database['query'],
  calls: readonly { readonly node_id: string | null }[],
): Promise<void> {
  const nodeIds = new Set(calls.flatMap(({ node_id: id }) => id ?? []));
  for (const id of nodeIds) {
    await query
      .insertInto('nodes')
      .values({ id, lease_until_ms: 0 })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }
}
