import type { Clock } from '../../../base/time/clock.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import { persist } from '../../storage/database/persist.ts';
import { DatabaseError } from '../../storage/link/database-error.ts';
import type { OpenStatus } from '../../storage/schema/call-status.ts';

export interface NewCallStep<T> {
  readonly callId: string;
  /** Creates the call, or claims it. */
  readonly store: () => Promise<T>;
  /** Open statuses that the call can have after `store`; absent: the call is new. */
  readonly from?: readonly OpenStatus[];
}

/**
 * Runs the write that assigns a call to this process. If the result of the write is unknown, the request is refused, but the database may
 * have stored an open call. So the end of that call is written in the background, once the database answers.
 */
export async function storeNewCall<T>(
  { callId, from, store }: NewCallStep<T>,
  { calls, clock }: { readonly calls: Pick<CallRepository, 'finish'>; readonly clock: Pick<Clock, 'wallMs'> },
): Promise<T> {
  try {
    return await store();
  } catch (error) {
    if (error instanceof DatabaseError && error.fault === 'unavailable') {
      const end = { status: 'failed', endReason: 'internal_error', atMs: clock.wallMs() } as const;
      void persist(() => calls.finish(callId, { ...end, ...(from !== undefined && { from }) }));
    }
    throw error;
  }
}
