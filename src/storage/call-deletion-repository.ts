import { FINAL_STATUSES } from './call-record.ts';
import type { Database } from './database.ts';

/** Removes what was said and known on calls. Rejects with a `DatabaseError`. */
export interface CallDeletionRepository {
  /**
   * Removes transcript, variables, turns, post-call answers and the bodies of webhooks of an ended call, in one transaction; events that were
   * still to be delivered are given up. The record and its metadata stay. False: the call has not ended, or there is none.
   */
  deleteContent(callId: string, nowMs: number): Promise<boolean>;
}

export function createCallDeletionRepository(database: Database): CallDeletionRepository {
  const { query } = database;
  return {
    deleteContent: (callId, nowMs) => {
      const events = query.selectFrom('call_events').select('id').where('call_id', '=', callId);
      const emptied = { dynamic_variables_json: '{}', recording_path: null, recording_complete: null };
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
        { statement: query.deleteFrom('variable_values').where('call_id', '=', callId) },
        { statement: query.deleteFrom('call_turns').where('call_id', '=', callId) },
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
  };
}
