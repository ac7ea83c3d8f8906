import type { Database, Step } from '../database/database.ts';
import { lockRow } from '../database/lock-row.ts';
import { prepared } from '../database/prepared-statement.ts';
import { storeEvent } from '../events/webhook-event.ts';
import { storableJson } from '../link/storable-text.ts';
import type { PostCallAnswer } from './post-call-answer.ts';

export interface PostCallJob {
  readonly callId: string;
  /** Attempts so far. */
  readonly attempts: number;
}

/**
 * Pending runs of post-call questions, and their answers. `postCallJobStep` stores a job in the transaction that ends the call;
 * the transaction that stores the answers removes it. A process that is killed in between leaves the job. All methods reject
 * with a `DatabaseError`.
 */
export interface PostCallRepository {
  /** The oldest first. */
  due(nowMs: number, limit: number): Promise<readonly PostCallJob[]>;
  /** Time of the next job after `nowMs`; null without one. */
  nextAttemptMs(nowMs: number): Promise<number | null>;
  /**
   * Counts an attempt before it starts, and sets the time of the next, so that an attempt that kills the process counts too.
   * False: the job is gone.
   */
  begin(callId: string, nextAttemptMs: number): Promise<boolean>;
  postpone(callId: string, nextAttemptMs: number): Promise<void>;
  /** Stores the answers and their event, and ends the job. False, and nothing stored, if the call was deleted. */
  finish(callId: string, answers: readonly PostCallAnswer[], nowMs: number): Promise<boolean>;
  /** Ends a job without questions. */
  drop(callId: string): Promise<void>;
  /** Empty without answers. */
  answersTo(callId: string): Promise<readonly PostCallAnswer[]>;
  /** By call id; a call without answers is missing. */
  answersOf(callIds: readonly string[]): Promise<ReadonlyMap<string, readonly PostCallAnswer[]>>;
}

const ANSWERS = prepared<{ callId: string }>()((query, slot) =>
  query.selectFrom('post_call_answers').select('answers_json').where('call_id', '=', slot('callId')),
);

export function createPostCallRepository(database: Database): PostCallRepository {
  const { query } = database;
  return {
    due: async (nowMs, limit) => {
      const rows = await query
        .selectFrom('post_call_jobs')
        .select(['call_id', 'attempts'])
        .where('next_attempt_ms', '<=', nowMs)
        .orderBy('next_attempt_ms')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ callId: row.call_id, attempts: row.attempts }));
    },
    nextAttemptMs: async (nowMs) => {
      const next = await query
        .selectFrom('post_call_jobs')
        .select((eb) => eb.fn.min('next_attempt_ms').as('next_ms'))
        .where('next_attempt_ms', '>', nowMs)
        .executeTakeFirst();
      return next?.next_ms ?? null;
    },
    begin: async (callId, nextAttemptMs) => {
      const result = await query
        .updateTable('post_call_jobs')
        .set((eb) => ({ attempts: eb('attempts', '+', 1), next_attempt_ms: nextAttemptMs }))
        .where('call_id', '=', callId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    postpone: async (callId, nextAttemptMs) => {
      await query
        .updateTable('post_call_jobs')
        .set({ next_attempt_ms: nextAttemptMs })
        .where('call_id', '=', callId)
        .execute();
    },
    finish: (callId, answers, nowMs) => {
      const answersJson = storableJson(answers);
      return database.atomically([
        ...lockRow(database, 'calls', callId),
        { statement: query.deleteFrom('post_call_jobs').where('call_id', '=', callId), mustChange: true },
        { statement: query.insertInto('post_call_answers').values({ call_id: callId, answers_json: answersJson }) },
        storeEvent(callId, {
          type: 'event_post_call_answers_ready',
          data: { post_call_answers: JSON.parse(answersJson) },
          atMs: nowMs,
        }),
      ]);
    },
    drop: async (callId) => {
      await query.deleteFrom('post_call_jobs').where('call_id', '=', callId).execute();
    },
    answersTo: async (callId) => {
      const [row] = await database.rows(ANSWERS.with({ callId }));
      return row === undefined ? [] : JSON.parse(row.answers_json);
    },
    answersOf: async (callIds) => {
      const rows = await query.selectFrom('post_call_answers').selectAll().where('call_id', 'in', callIds).execute();
      return new Map(rows.map((row) => [row.call_id, JSON.parse(row.answers_json)]));
    },
  };
}

/**
 * Queues the post-call questions of a call that has just ended, if it was connected and its agent has an active question.
 * Belongs after the update that ends the call, in the same transaction.
 */
export function postCallJobStep(callId: string, atMs: number): Step {
  return { statement: QUEUE_JOB.with({ callId, atMs }) };
}

const QUEUE_JOB = prepared<{ callId: string; atMs: number }>()((query, slot) => {
  const row = query
    .selectFrom('calls')
    .where('calls.id', '=', slot('callId'))
    .where('calls.start_ms', 'is not', null)
    // No agent spoke on the call of a redirected number.
    .where('calls.agent_version', '>', 0)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('post_call_questions')
          .select('post_call_questions.id')
          .whereRef('post_call_questions.agent_id', '=', 'calls.agent_id')
          .where('post_call_questions.is_active', '=', 1),
      ),
    )
    .select((eb) => ['calls.id as call_id', eb.lit(0).as('attempts'), slot('atMs').as('next_attempt_ms')]);
  return query.insertInto('post_call_jobs').columns(['call_id', 'attempts', 'next_attempt_ms']).expression(row);
});
