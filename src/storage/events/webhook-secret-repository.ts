import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { lockRow } from '../database/lock-row.ts';

/** How long a replaced secret continues to sign, ms. */
const ROTATION_MS = 24 * 60 * 60 * 1_000;

/** Secrets that sign an agent's webhooks; they are sealed by `Secrets`. All methods reject with a `DatabaseError`. */
export interface WebhookSecretRepository {
  /** Adds a new secret; earlier ones sign for 24 h more. */
  rotate(agentId: string, secretSealed: string, nowMs: number): Promise<void>;
  /** The secrets that sign at `nowMs`, newest first. */
  signing(agentId: string, nowMs: number): Promise<string[]>;
}

export function createWebhookSecretRepository(database: Database): WebhookSecretRepository {
  const { query } = database;
  return {
    rotate: async (agentId, secretSealed, nowMs) => {
      const row = { id: randomUUID(), agent_id: agentId, secret_sealed: secretSealed, created_ms: nowMs };
      await database.atomically([
        ...lockRow(database, 'agents', agentId),
        {
          statement: query
            .deleteFrom('webhook_secrets')
            .where('agent_id', '=', agentId)
            .where('expires_ms', '<=', nowMs),
        },
        {
          statement: query
            .updateTable('webhook_secrets')
            .set({ expires_ms: nowMs + ROTATION_MS })
            .where('agent_id', '=', agentId)
            .where('expires_ms', 'is', null),
        },
        { statement: query.insertInto('webhook_secrets').values({ ...row, expires_ms: null }) },
      ]);
    },
    signing: async (agentId, nowMs) => {
      const rows = await query
        .selectFrom('webhook_secrets')
        .select(['secret_sealed', 'expires_ms'])
        .where('agent_id', '=', agentId)
        .where((eb) => eb.or([eb('expires_ms', 'is', null), eb('expires_ms', '>', nowMs)]))
        .orderBy('created_ms', 'desc')
        .execute();
      return rows.map((row) => row.secret_sealed);
    },
  };
}
