import type { z } from 'zod';
import type { Clock } from '../../../base/time/clock.ts';
import type { CallActivity } from '../../calls/api-requests/call-activity.ts';
import type { StoredEventWatchers } from '../../calls/api-requests/stored-event-watchers.ts';
import type { CallListRepository } from '../../storage/calls/call-list-repository.ts';
import type { RunningCall, RunningCallFilter } from '../../storage/calls/running-call.ts';
import type { runningCallSchema } from '../schemas/running-call.ts';

/** Calls of a list. It is for people; an older call shows up when one of them has ended. */
export const RUNNING_CALLS_MAX = 500;
/** Age up to which one reading serves all streams with the same filter, and activities all streams of an organization, ms. */
const FRESH_MS = 900;
/** The calls are read again after this time though no node has reported a change, ms: notifications are hints. */
const LIST_AGE_MS_MAX = 5_000;

export type RunningCallAnswer = z.output<typeof runningCallSchema>;

export interface ListedRunningCall {
  readonly answer: RunningCallAnswer;
  /** Of `answer`; all streams send the same text. */
  readonly json: string;
  /** Its place in the list: the newest call has the highest. */
  readonly listedUs: number;
}

export interface RunningCallList {
  /** Newest first, at most `RUNNING_CALLS_MAX`. */
  readonly calls: readonly ListedRunningCall[];
  /** Whether older calls run that the list leaves out. */
  readonly truncated: boolean;
}

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
  readonly calls: Promise<readonly RunningCall[]>;
  /** When the list was made. */
  readonly atMs: number;
  readonly list: Promise<RunningCallList>;
}

interface Activities {
  readonly atMs: number;
  readonly byCall: Promise<ReadonlyMap<string, CallActivity>>;
}

/** The running calls of organizations, read at most about once a second for each filter, however many clients watch them. */
export class RunningCalls {
  readonly #source: RunningCallsSource;
  /** By organization and filter; only those that were read within `LIST_AGE_MS_MAX`. */
  readonly #readings = new Map<string, Reading>();
  /** By organization; only those that were asked within `LIST_AGE_MS_MAX`. */
  readonly #activities = new Map<string, Activities>();

  constructor(source: RunningCallsSource) {
    this.#source = source;
  }

  /** Rejects with a `DatabaseError`. */
  of(organizationId: string, filter: RunningCallFilter = {}): Promise<RunningCallList> {
    const nowMs = this.#source.clock.wallMs();
    dropOld(this.#readings, nowMs);
    dropOld(this.#activities, nowMs);
    const key = JSON.stringify([organizationId, filter.agentId ?? null, filter.type ?? null]);
    const before = this.#readings.get(key);
    if (before !== undefined && nowMs - before.atMs < FRESH_MS) return before.list;
    const { wakeUps } = this.#source.eventWatchers;
    const isCurrent = before !== undefined && before.wakeUps === wakeUps && nowMs - before.listedMs < LIST_AGE_MS_MAX;
    const listedMs = isCurrent ? before.listedMs : nowMs;
    // One more than the list has says whether it leaves calls out.
    const calls = isCurrent
      ? before.calls
      : this.#source.callLists.running(organizationId, filter, RUNNING_CALLS_MAX + 1);
    const list = Promise.all([calls, this.#activitiesOf(organizationId, nowMs)]).then(listOf);
    this.#readings.set(key, { listedMs, wakeUps, calls, atMs: nowMs, list });
    // A failed reading serves no other client.
    list.catch(() => this.#readings.delete(key));
    return list;
  }

  #activitiesOf(organizationId: string, nowMs: number): Activities['byCall'] {
    const before = this.#activities.get(organizationId);
    if (before !== undefined && nowMs - before.atMs < FRESH_MS) return before.byCall;
    const byCall = this.#source.activities(organizationId);
    this.#activities.set(organizationId, { atMs: nowMs, byCall });
    byCall.catch(() => this.#activities.delete(organizationId));
    return byCall;
  }
}

function dropOld(kept: Map<string, { readonly atMs: number }>, nowMs: number): void {
  for (const [key, { atMs }] of kept) if (nowMs - atMs > LIST_AGE_MS_MAX) kept.delete(key);
}

function listOf([calls, activities]: readonly [
  readonly RunningCall[],
  ReadonlyMap<string, CallActivity>,
]): RunningCallList {
  const listed = calls.slice(0, RUNNING_CALLS_MAX).map((call): ListedRunningCall => {
    const answer = runningCallAnswer(call, activities.get(call.id) ?? null);
    return { answer, json: JSON.stringify(answer), listedUs: call.listedUs };
  });
  return { calls: listed, truncated: calls.length > RUNNING_CALLS_MAX };
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
