import type { z } from 'zod';
import type { Clock } from '../../../base/time/clock.ts';
import type { CallActivity } from '../../calls/api-requests/call-activity.ts';
import type { StoredEventWatchers } from '../../calls/api-requests/stored-event-watchers.ts';
import type { CallListRepository } from '../../storage/calls/call-list-repository.ts';
import type { RunningCall } from '../../storage/calls/running-call.ts';
import type { runningCallSchema } from '../schemas/running-call.ts';

/** Calls of a list. It is for people; a further call shows up when one of them has ended. */
export const RUNNING_CALLS_MAX = 500;
/** Age up to which one reading serves all streams of an organization, ms. */
const FRESH_MS = 900;
/** The calls are read again after this time though no node has reported a change, ms: notifications are hints. */
const LIST_AGE_MS_MAX = 5_000;

export type RunningCallAnswer = z.output<typeof runningCallSchema>;

export interface RunningCallsSource {
  readonly callLists: Pick<CallListRepository, 'running'>;
  /** Of the calls of an organization, on all nodes. */
  readonly activities: (organizationId: string) => Promise<ReadonlyMap<string, CallActivity>>;
  readonly eventWatchers: Pick<StoredEventWatchers, 'wakeUps'>;
  readonly clock: Pick<Clock, 'wallMs'>;
}

interface Reading {
  /** When the database was asked, and the wake-ups until then. */
  readonly listedMs: number;
  readonly wakeUps: number;
  readonly list: Promise<readonly RunningCall[]>;
  /** When the activities were asked. */
  readonly atMs: number;
  readonly answers: Promise<readonly RunningCallAnswer[]>;
}

/** The running calls of organizations, read at most about once a second however many clients watch them. */
export class RunningCalls {
  readonly #source: RunningCallsSource;
  /** By organization; only those that were read within `LIST_AGE_MS_MAX`. */
  readonly #readings = new Map<string, Reading>();

  constructor(source: RunningCallsSource) {
    this.#source = source;
  }

  /** Newest first, at most `RUNNING_CALLS_MAX`. Rejects with a `DatabaseError`. */
  of(organizationId: string): Promise<readonly RunningCallAnswer[]> {
    const nowMs = this.#source.clock.wallMs();
    for (const [id, { atMs }] of this.#readings) if (nowMs - atMs > LIST_AGE_MS_MAX) this.#readings.delete(id);
    const before = this.#readings.get(organizationId);
    if (before !== undefined && nowMs - before.atMs < FRESH_MS) return before.answers;
    const { wakeUps } = this.#source.eventWatchers;
    const isListCurrent =
      before !== undefined && before.wakeUps === wakeUps && nowMs - before.listedMs < LIST_AGE_MS_MAX;
    const listedMs = isListCurrent ? before.listedMs : nowMs;
    const list = isListCurrent ? before.list : this.#source.callLists.running(organizationId, RUNNING_CALLS_MAX);
    const answers = Promise.all([list, this.#source.activities(organizationId)]).then(([calls, activities]) =>
      calls.map((call) => runningCallAnswer(call, activities.get(call.id) ?? null)),
    );
    this.#readings.set(organizationId, { listedMs, wakeUps, list, atMs: nowMs, answers });
    // A failed reading serves no other client.
    answers.catch(() => this.#readings.delete(organizationId));
    return answers;
  }
}

function runningCallAnswer(call: RunningCall, activity: CallActivity | null): RunningCallAnswer {
  return {
    id: call.id,
    status: call.status,
    type: call.type,
    direction: call.direction,
    from_number: call.fromNumber,
    to_number: call.toNumber,
    agent_id: call.agentId,
    agent_version: call.agentVersion === 0 ? null : call.agentVersion,
    created_at: new Date(call.createdMs).toISOString(),
    start_time: call.startMs === null ? null : new Date(call.startMs).toISOString(),
    activity: activity?.activity ?? null,
    state: activity?.state ?? null,
    response_ms: activity?.responseMs ?? null,
  };
}
