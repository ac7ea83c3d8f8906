import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { OPEN_STATUSES, type OpenStatus } from '../schema/call-status.ts';

/** Work in progress of all organizations. */
export interface OpenWork {
  readonly openCalls: ReadonlyMap<OpenStatus, number>;
  /** Undelivered webhook events, those of disabled webhooks included. */
  readonly pendingDeliveries: number;
}

/** Rejects with a `DatabaseError`. */
export interface OpenWorkRepository {
  /** Reads indexes only: the cost does not depend on the number of calls. */
  openWork(): Promise<OpenWork>;
}

export function createOpenWorkRepository({ query }: Database): OpenWorkRepository {
  return {
    openWork: async () => {
      const [calls, pending] = await Promise.all([
        query
          .selectFrom('calls')
          .select((eb) => ['status', eb.fn.countAll<number>().as('total')])
          .where('status', 'in', OPEN_STATUSES)
          .groupBy('status')
          .execute(),
        query
          .selectFrom('call_events')
          .select((eb) => eb.fn.countAll<number>().as('total'))
          // A literal: with a parameter the database could not use the partial index.
          .where('status', '=', sql.lit('pending'))
          .executeTakeFirstOrThrow(),
      ]);
      const totals = new Map(calls.map(({ status, total }) => [status, Number(total)]));
      return {
        openCalls: new Map(OPEN_STATUSES.map((status) => [status, totals.get(status) ?? 0])),
        pendingDeliveries: Number(pending.total),
      };
    },
  };
}
