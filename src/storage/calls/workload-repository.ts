import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { OPEN_STATUSES, type OpenStatus } from '../schema/call-status.ts';

/** What waits and what runs, over all organizations. */
export interface Workload {
  readonly openCalls: ReadonlyMap<OpenStatus, number>;
  /** Webhook events that are still to be delivered, those of receivers that are switched off too. */
  readonly pendingDeliveries: number;
}

/** Rejects with a `DatabaseError`. */
export interface WorkloadRepository {
  /** Read from indexes alone: as cheap with a million calls as with none. */
  workload(): Promise<Workload>;
}

export function createWorkloadRepository({ query }: Database): WorkloadRepository {
  return {
    workload: async () => {
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
          // As it stands in the index's own condition: a parameter would hide it.
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
