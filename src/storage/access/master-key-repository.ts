import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

/** A key of a rotation, sealed with the other one. */
export interface StoredMasterKey {
  readonly id: string;
  readonly sealedWith: string;
  readonly keySealed: string;
}

/** The keys of a rotation that a node has and uses. */
export interface MasterKeyNode {
  /** Empty for the only node of SQLite. */
  readonly nodeId: string;
  /** The key that the node was started with. */
  readonly ownKeyId: string;
  /** The keys of which it opens values. */
  readonly knownKeyIds: readonly string[];
}

/** The keys of a rotation of the master key; there are none at other times. All methods reject with a `DatabaseError`. */
export interface MasterKeyRepository {
  keys(): Promise<readonly StoredMasterKey[]>;
  /** Stores the keys of a rotation, all or none. No effect on those that are stored. */
  announce(keys: readonly StoredMasterKey[]): Promise<void>;
  /** Stores which keys a node knows. */
  acknowledge(node: MasterKeyNode): Promise<void>;
  /** The latest report of each node, stopped ones included. */
  nodes(): Promise<readonly MasterKeyNode[]>;
  /** The rotation is over. */
  clear(): Promise<void>;
}

export function createMasterKeyRepository(database: Database): MasterKeyRepository {
  const { query } = database;
  return {
    keys: async () => {
      const rows = await query.selectFrom('master_keys').selectAll().execute();
      return rows.map((row) => ({ id: row.id, sealedWith: row.sealed_with, keySealed: row.key_sealed }));
    },
    announce: async (keys) => {
      await query
        .insertInto('master_keys')
        .values(keys.map(({ id, keySealed, sealedWith }) => ({ id, sealed_with: sealedWith, key_sealed: keySealed })))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    acknowledge: async ({ knownKeyIds, nodeId, ownKeyId }) => {
      const known = { own_key_id: ownKeyId, known_key_ids: knownKeyIds.join(' ') };
      await query
        .insertInto('master_key_nodes')
        .values({ node_id: nodeId, ...known })
        .onConflict((conflict) => conflict.column('node_id').doUpdateSet(known))
        .execute();
    },
    nodes: async () => {
      const rows = await query.selectFrom('master_key_nodes').selectAll().execute();
      return rows.map((row) => ({
        nodeId: row.node_id,
        ownKeyId: row.own_key_id,
        knownKeyIds: row.known_key_ids.split(' '),
      }));
    },
    clear: async () => {
      await database.atomically([
        { statement: query.deleteFrom('master_keys').where(sql.lit(true)) },
        { statement: query.deleteFrom('master_key_nodes').where(sql.lit(true)) },
      ]);
    },
  };
}
