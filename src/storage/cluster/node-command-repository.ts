import { z } from 'zod';
import type { LiveRequest } from '../../../engine/core/event.ts';
import type { Database } from '../database/database.ts';

/** Longer than any sender waits for its command to be taken, ms. */
const KEPT_MS = 60_000;

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
]) satisfies z.ZodType<LiveRequest>;

/** Live commands on their way to calls of other nodes. All methods reject with a `DatabaseError`. */
export interface NodeCommandRepository {
  put(id: string, request: LiveRequest, nowMs: number): Promise<void>;
  /** Exactly one caller gets the command; null if it was taken before. */
  take(id: string): Promise<LiveRequest | null>;
  isTaken(id: string): Promise<boolean>;
}

export function createNodeCommandRepository({ query }: Database): NodeCommandRepository {
  return {
    put: async (id, request, nowMs) => {
      await query
        .deleteFrom('node_orders')
        .where('created_ms', '<', nowMs - KEPT_MS)
        .execute();
      const row = { id, order_json: JSON.stringify(request), created_ms: nowMs };
      await query.insertInto('node_orders').values(row).execute();
    },
    take: async (id) => {
      const row = await query.deleteFrom('node_orders').where('id', '=', id).returning('order_json').executeTakeFirst();
      return row === undefined ? null : liveCommand.parse(JSON.parse(row.order_json));
    },
    isTaken: async (id) =>
      (await query.selectFrom('node_orders').select('id').where('id', '=', id).executeTakeFirst()) === undefined,
  };
}
