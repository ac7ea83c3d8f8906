import { sql } from 'kysely';
import { z } from 'zod';
import type { LiveRequest } from '../../../engine/core/event.ts';
import type { Database } from '../database/database.ts';
import { databaseNowMs } from '../database/database-clock.ts';
import { REQUEST_KEPT_MS } from './node-answer-repository.ts';

const liveCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('call.say'),
    text: z.string(),
    interrupt: z.boolean(),
    interruptible: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('call.transfer'),
    request: z.object({
      destination: z.string(),
      mode: z.enum(['refer', 'bridge']),
      headers: z.record(z.string(), z.string()),
      ringTimeoutMs: z.number(),
    }),
    announcement: z.string().optional(),
  }),
  z.object({ type: z.literal('call.context'), content: z.string() }),
  z.object({ type: z.literal('call.pause_recording') }),
  z.object({ type: z.literal('call.resume_recording') }),
]) satisfies z.ZodType<LiveRequest>;

/** Live commands on their way to calls of other nodes. All methods reject with a `DatabaseError`. */
export interface NodeCommandRepository {
  put(id: string, request: LiveRequest): Promise<void>;
  /** Exactly one caller gets the command; null if it was taken before. Rejects if this version does not know it. */
  take(id: string): Promise<LiveRequest | null>;
  isTaken(id: string): Promise<boolean>;
  /** Removes commands whose senders wait no longer. */
  removeOld(): Promise<void>;
}

export function createNodeCommandRepository({ kind, query }: Database): NodeCommandRepository {
  return {
    put: async (id, request) => {
      const row = { id, order_json: JSON.stringify(request), created_ms: databaseNowMs(kind) };
      await query.insertInto('node_orders').values(row).execute();
    },
    take: async (id) => {
      const found = await query.selectFrom('node_orders').where('id', '=', id).select('order_json').executeTakeFirst();
      if (found === undefined) return null;
      // A command of a later version is not taken, so its sender learns that it had no effect.
      const request = liveCommand.parse(JSON.parse(found.order_json));
      const taken = await query.deleteFrom('node_orders').where('id', '=', id).returning('id').executeTakeFirst();
      return taken === undefined ? null : request;
    },
    isTaken: async (id) =>
      (await query.selectFrom('node_orders').select('id').where('id', '=', id).executeTakeFirst()) === undefined,
    removeOld: async () => {
      await query
        .deleteFrom('node_orders')
        .where('created_ms', '<', sql<number>`${databaseNowMs(kind)} - ${sql.lit(REQUEST_KEPT_MS)}`)
        .execute();
    },
  };
}
