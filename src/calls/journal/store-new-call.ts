import type { Clock } from '../../../base/time/clock.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import { DatabaseError } from '../../storage/link/database-error.ts';
import type { OpenStatus } from '../../storage/schema/call-status.ts';
import { persist } from './persist.ts';

export interface NewCallStep<T> {
  readonly callId: string;
  /** Creates the call, or claims it. */
  readonly store: () => Promise<T>;
  /** Open statuses of the call once that is stored; absent: it is new. */
  readonly from?: readonly OpenStatus[];
}

/**
 * Stores the write that gives this process a call. Where its result is unknown, the request is refused, and a row that was stored after all
 * would stay open for ever. So its end is written after the refusal, once the database answers.
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
