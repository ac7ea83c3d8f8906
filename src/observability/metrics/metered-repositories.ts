import type { CallEnd } from '../../storage/calls/call-repository.ts';
import type { Repositories } from '../../storage/repositories.ts';
import type { Metrics } from './metrics.ts';

/** Wraps the repositories: counts calls, turns and deliveries after they are stored, and queries for shared limits. */
export function meteredRepositories(stored: Repositories, metrics: Metrics): Repositories {
  const { calls, journal, outbox, sharedLimits } = stored;
  const asked = async <T>(query: Promise<T>): Promise<T> => {
    query.then(
      () => metrics.sharedLimitAsked('answered'),
      () => metrics.sharedLimitAsked('failed'),
    );
    return query;
  };
  const countEnd = async (callId: string, end: CallEnd): Promise<true> => {
    // A failed count does not affect the stored end.
    const call = await calls.find(callId).catch(() => null);
    if (call !== null) {
      metrics.callEnded(call.direction, end);
      metrics.callPaid(call.cost);
    }
    return true;
  };
  return {
    ...stored,
    calls: {
      ...calls,
      createCall: async (call) => {
        await calls.createCall(call);
        metrics.callCreated(call.direction);
      },
      finish: async (callId, end) => (await calls.finish(callId, end)) && countEnd(callId, end),
      adopt: async (call, end) => (await calls.adopt(call, end)) && countEnd(call.id, end),
      expireStaged: async (nowMs) => {
        const ids = await calls.expireStaged(nowMs);
        const end = { status: 'no_answer', endReason: 'staging_timeout' } as const;
        for (const _ of ids) metrics.callEnded('inbound', end);
        return ids;
      },
    },
    journal: {
      ...journal,
      appendJournal: async (callId, batch) => {
        const stored = await journal.appendJournal(callId, batch);
        for (const entry of stored ? batch.entries : [])
          if (entry.type === 'turn' && entry.isClosed) metrics.turn(entry.record);
        return stored;
      },
    },
    sharedLimits: {
      ...sharedLimits,
      takeRequests: (...request) => asked(sharedLimits.takeRequests(...request)),
      takeCallStart: (...call) => asked(sharedLimits.takeCallStart(...call)),
    },
    outbox: {
      ...outbox,
      markDelivered: async (eventId, attempt) => {
        await outbox.markDelivered(eventId, attempt);
        metrics.deliveryAttempted('delivered');
      },
      markFailed: async (eventId, attempt, nextAttemptMs) => {
        await outbox.markFailed(eventId, attempt, nextAttemptMs);
        metrics.deliveryAttempted(nextAttemptMs === null ? 'given_up' : 'retried');
      },
    },
  };
}
