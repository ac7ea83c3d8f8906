import { type RawBuilder, sql } from 'kysely';
import { type CallRecord, readCall } from '../calls/call-record.ts';
import type { Database } from '../database/database.ts';
import { OPEN_STATUSES } from '../schema/call-status.ts';

/** Webhooks, post-call questions, reading of sources, retention: one node does them for all. */
const BACKGROUND = 'background';

/**
 * The nodes that share a database. Leases are counted by the database's clock, so that the nodes' own need not agree. All
 * methods reject with a `DatabaseError`.
 */
export interface NodeRepository {
  /** This node lives, for so long from now. */
  renew(nodeId: string, leaseMs: number): Promise<void>;
  /** Takes or keeps the background work for so long from now: true for at most one node at a time. */
  lead(nodeId: string, leaseMs: number): Promise<boolean>;
  /** Gives lease and background work up. */
  leave(nodeId: string): Promise<void>;
  /** Whether the node's lease has not lapsed. */
  isAlive(nodeId: string): Promise<boolean>;
  /** Whether any other node's lease has not lapsed. */
  hasOthers(nodeId: string): Promise<boolean>;
  /** Calls in flight, but for staged ones, which wait for any node, whose node has no lease any more. */
  lostCalls(): Promise<CallRecord[]>;
}

export function createNodeRepository({ kind, query }: Database): NodeRepository {
  const nowMs = (): RawBuilder<number> =>
    kind === 'postgres'
      ? sql<number>`CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)`
      : sql<number>`CAST(unixepoch('subsec') * 1000 AS integer)`;
  const until = (leaseMs: number): RawBuilder<number> => sql<number>`${nowMs()} + ${sql.lit(leaseMs)}`;
  const living = () => query.selectFrom('nodes').select('nodes.id').where('nodes.lease_until_ms', '>', nowMs());

  return {
    renew: async (nodeId, leaseMs) => {
      await query
        .insertInto('nodes')
        .values({ id: nodeId, lease_until_ms: until(leaseMs) })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ lease_until_ms: until(leaseMs) }))
        .execute();
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
    leave: async (nodeId) => {
      await query.deleteFrom('node_duties').where('node_id', '=', nodeId).execute();
      await query.deleteFrom('nodes').where('id', '=', nodeId).execute();
    },
    isAlive: async (nodeId) => (await living().where('nodes.id', '=', nodeId).executeTakeFirst()) !== undefined,
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
      return rows.map(readCall);
    },
  };
}
