import type { Clock } from '../../../base/time/clock.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import { DatabaseError } from '../../storage/link/database-error.ts';
import type { OpenStatus } from '../../storage/schema/call-status.ts';
import { persist } from './persist.ts';

export interface NewCallStep<T> {
  readonly callId: string;
  /** Makes the call, or claims it. */
  readonly store: () => Promise<T>;
  /** What the call is in once that is stored; absent: it is new. */
  readonly from?: readonly OpenStatus[];
}

/**
 * Stores what gives this process a call. Where it is not known whether that happened, whoever ordered the call is refused, and
 * nobody would ever take up a row that is there all the same: it is ended behind the refusal, once the database answers.
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
