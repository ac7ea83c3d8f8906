import { type SqlBool, sql } from 'kysely';
import { textDeletion } from '../call-search/call-text.ts';
import type { Database } from '../database/database.ts';
import { FINAL_STATUSES } from '../schema/call-status.ts';

/** An ended call whose content is still stored. */
export interface KeptCall {
  readonly id: string;
  readonly endMs: number;
}

/** Deletes the content of calls. Rejects with a `DatabaseError`. */
export interface CallDeletionRepository {
  /**
   * Deletes the content of an ended call in one transaction: transcript and its text in the index, variables, overrides, turns,
   * spans, post-call answers and webhook bodies. Pending webhook events fail. The record and its metadata stay. False: the call
   * has not ended, or does not exist.
   */
  deleteContent(callId: string, nowMs: number): Promise<boolean>;
  /** Calls that ended before a time and still have content, oldest first, after `after`. */
  keptCalls(endedBeforeMs: number, after: KeptCall | null, limit: number): Promise<readonly KeptCall[]>;
}

export function createCallDeletionRepository(database: Database): CallDeletionRepository {
  const { query } = database;
  return {
    deleteContent: (callId, nowMs) => {
      const events = query.selectFrom('call_events').select('id').where('call_id', '=', callId);
      const emptied = {
        dynamic_variables_json: '{}',
        agent_overrides_json: null,
        recording_path: null,
        recording_complete: null,
      };
      return database.atomically([
        {
          statement: query
            .updateTable('calls')
            .set((eb) => ({ ...emptied, deleted_ms: eb.fn.coalesce('deleted_ms', eb.val(nowMs)) }))
            .where('id', '=', callId)
            .where('status', 'in', FINAL_STATUSES),
          mustChange: true,
        },
        { statement: query.deleteFrom('transcript_entries').where('call_id', '=', callId) },
        textDeletion(database, callId),
        { statement: query.deleteFrom('variable_values').where('call_id', '=', callId) },
        { statement: query.deleteFrom('call_turns').where('call_id', '=', callId) },
        { statement: query.deleteFrom('call_spans').where('call_id', '=', callId) },
        { statement: query.deleteFrom('post_call_jobs').where('call_id', '=', callId) },
        { statement: query.deleteFrom('post_call_answers').where('call_id', '=', callId) },
        { statement: query.updateTable('webhook_deliveries').set({ outcome: '' }).where('event_id', 'in', events) },
        {
          statement: query
            .updateTable('call_events')
            .set((eb) => ({
              data_json: '{}',
              status: eb.case().when('status', '=', 'pending').then('failed').else(eb.ref('status')).end(),
            }))
            .where('call_id', '=', callId),
        },
      ]);
    },
    keptCalls: async (endedBeforeMs, after, limit) => {
      const rows = await query
        .selectFrom('calls')
        .select(['id', 'end_ms'])
        .where('deleted_ms', 'is', null)
        .where('end_ms', '<', endedBeforeMs)
        // An expression: SQLite would read all ended calls by the index of the status, and sort them.
        .where(sql<SqlBool>`coalesce(status, '') IN (${sql.join(FINAL_STATUSES)})`)
        .$if(after !== null, (calls) =>
          calls
            .where('end_ms', '>=', after?.endMs ?? 0)
            .where((eb) => eb.or([eb('end_ms', '>', after?.endMs ?? 0), eb('id', '>', after?.id ?? '')])),
        )
        .orderBy('end_ms')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id, end_ms }) => ({ id, endMs: end_ms ?? 0 }));
    },
  };
}
