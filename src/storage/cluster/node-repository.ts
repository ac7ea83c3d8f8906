import { type RawBuilder, sql } from 'kysely';
import { type CallRecord, readCall } from '../calls/call-record.ts';
import type { Database } from '../database/database.ts';
import { databaseNowMs } from '../database/database-clock.ts';
import { DatabaseError } from '../link/database-error.ts';
import { OPEN_STATUSES } from '../schema/call-status.ts';

/** The duty of the leader in `node_duties`: webhooks, post-call questions, knowledge ingestion and retention. */
const LEADER_DUTY = 'background';

/**
 * The nodes that share a database. Leases use the database's clock, so the nodes' clocks need not agree. All methods reject
 * with a `DatabaseError`.
 */
export interface NodeRepository {
  /**
   * Extends the node's lease to `leaseMs` from now, or makes a new one. False if it is new: other nodes may have closed this node's
   * calls. Rejects with `locked` if a process with another `startId` holds the lease.
   */
  renew(nodeId: string, leaseMs: number, startId?: string): Promise<boolean>;
  /** Makes a lease, also if a process with another `startId` holds one. */
  takeOver(nodeId: string, leaseMs: number, startId: string): Promise<void>;
  /** End of the node's lease by the clock of the database, ms since 1970; null without a valid one. */
  leaseUntilMs(nodeId: string): Promise<number | null>;
  /** Takes or extends the leader's lease. True for at most one node at a time. */
  lead(nodeId: string, leaseMs: number): Promise<boolean>;
  /** Ends the leader's lease if the node is the leader. */
  resign(nodeId: string): Promise<void>;
  /** Ends the lease of the node if its process has this `startId`, and of the leader if the node is one. */
  leave(nodeId: string, startId?: string): Promise<void>;
  /** Whether the node's lease is valid. */
  isAlive(nodeId: string): Promise<boolean>;
  /** The nodes with a valid lease. */
  alive(): Promise<readonly string[]>;
  /** Whether another node's lease is valid. */
  hasOthers(nodeId: string): Promise<boolean>;
  /** Orphaned calls: in flight, and their node's lease has expired. Staged calls are not among them: any node may claim one. */
  orphanedCalls(): Promise<CallRecord[]>;
}

export function createNodeRepository(database: Database): NodeRepository {
  const { kind, query } = database;
  const nowMs = () => databaseNowMs(kind);
  const nodesWithLease = () => query.selectFrom('nodes').select('nodes.id').where('nodes.lease_until_ms', '>', nowMs());

  return {
    ...nodeLeases(database),
    ...leaderLease(database),
    isAlive: async (nodeId) => (await nodesWithLease().where('nodes.id', '=', nodeId).executeTakeFirst()) !== undefined,
    alive: async () => (await nodesWithLease().execute()).map(({ id }) => id),
    hasOthers: async (nodeId) =>
      (await nodesWithLease().where('nodes.id', '<>', nodeId).limit(1).executeTakeFirst()) !== undefined,
    orphanedCalls: async () => {
      const rows = await query
        .selectFrom('calls')
        .selectAll()
        .where('status', 'in', OPEN_STATUSES)
        .where('status', '<>', 'staged')
        .where('node_id', 'is not', null)
        .where('node_id', 'not in', nodesWithLease())
        .execute();
      await insertExpiredNodes(query, rows);
      return rows.map(readCall);
    },
  };
}

/** The lease of each node. */
function nodeLeases({ kind, query }: Database): Pick<NodeRepository, 'renew' | 'takeOver' | 'leaseUntilMs' | 'leave'> {
  const nowMs = () => databaseNowMs(kind);
  return {
    renew: async (nodeId, leaseMs, startId = '') => {
      const extended = await query
        .updateTable('nodes')
        .set({ lease_until_ms: untilMs(kind, leaseMs) })
        .where('id', '=', nodeId)
        .where('start_id', '=', startId)
        .where('lease_until_ms', '>', nowMs())
        .executeTakeFirst();
      if (extended.numUpdatedRows > 0n) return true;
      const made = await query
        .insertInto('nodes')
        .values({ id: nodeId, lease_until_ms: untilMs(kind, leaseMs), start_id: startId })
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet({ lease_until_ms: untilMs(kind, leaseMs), start_id: startId })
            .where((eb) => eb.or([eb('nodes.start_id', '=', startId), eb('nodes.lease_until_ms', '<=', nowMs())])),
        )
        .executeTakeFirst();
      if ((made.numInsertedOrUpdatedRows ?? 0n) === 0n) throw idInUse(nodeId);
      return false;
    },
    takeOver: async (nodeId, leaseMs, startId) => {
      await query
        .insertInto('nodes')
        .values({ id: nodeId, lease_until_ms: untilMs(kind, leaseMs), start_id: startId })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({ lease_until_ms: untilMs(kind, leaseMs), start_id: startId }),
        )
        .execute();
    },
    leaseUntilMs: async (nodeId) => {
      const row = await query
        .selectFrom('nodes')
        .select('lease_until_ms')
        .where('id', '=', nodeId)
        .where('lease_until_ms', '>', nowMs())
        .executeTakeFirst();
      return row?.lease_until_ms ?? null;
    },
    leave: async (nodeId, startId = '') => {
      await query.deleteFrom('nodes').where('id', '=', nodeId).where('start_id', '=', startId).execute();
      // Another process may have taken the lease of this node, and lead.
      const isTaken =
        (await query.selectFrom('nodes').select('id').where('id', '=', nodeId).executeTakeFirst()) !== undefined;
      if (!isTaken) await endLead(query, nodeId);
    },
  };
}

/** The lease of the leader. */
function leaderLease({ kind, query }: Database): Pick<NodeRepository, 'lead' | 'resign'> {
  const nowMs = () => databaseNowMs(kind);
  return {
    lead: async (nodeId, leaseMs) => {
      const taken = await query
        .insertInto('node_duties')
        .values({ duty: LEADER_DUTY, node_id: nodeId, lease_until_ms: untilMs(kind, leaseMs) })
        .onConflict((conflict) =>
          conflict
            .column('duty')
            .doUpdateSet({ node_id: nodeId, lease_until_ms: untilMs(kind, leaseMs) })
            .where((eb) =>
              eb.or([eb('node_duties.node_id', '=', nodeId), eb('node_duties.lease_until_ms', '<=', nowMs())]),
            ),
        )
        .executeTakeFirst();
      return (taken.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    resign: (nodeId) => endLead(query, nodeId),
  };
}

async function endLead(query: Database['query'], nodeId: string): Promise<void> {
  await query.deleteFrom('node_duties').where('node_id', '=', nodeId).execute();
}

/** End of a lease that begins now. */
function untilMs(kind: Database['kind'], leaseMs: number): RawBuilder<number> {
  return sql<number>`${databaseNowMs(kind)} + ${sql.lit(leaseMs)}`;
}

/** Two processes have the same node id. */
export function idInUse(nodeId: string): DatabaseError {
  return new DatabaseError(
    'locked',
    `Another running process is node ${nodeId}, so DATA_DIR is a copy of its data directory: remove node.id from the copy`,
  );
}

/** Inserts an expired row for each node that deleted its own, so that `CallRepository.adopt` can lock it. */
async function insertExpiredNodes(
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
