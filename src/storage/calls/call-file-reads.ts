import { type SqlBool, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { FINAL_STATUSES } from '../schema/call-status.ts';
import { type CallRecord, readCall } from './call-record.ts';

/** Reads of the calls whose files are on a disk. */
export interface CallFileReads {
  /** Those of the calls whose content was deleted. */
  deletedAmong(callIds: readonly string[]): Promise<string[]>;
  /** Those of this node, or adopted by it, that have ended without an answer and have their content. */
  unansweredAmong(callIds: readonly string[]): Promise<CallRecord[]>;
  /**
   * Calls of this node, and calls that it has adopted, whose recording is not marked complete or incomplete: still being written, or left
   * by a dead process.
   */
  callsWithUnfinishedRecording(): Promise<CallRecord[]>;
}

export function callFileReads({ query }: Pick<Database, 'query'>, nodeId: string | null): CallFileReads {
  const ofNode = query
    .selectFrom('calls')
    .selectAll()
    .$if(nodeId !== null, (calls) =>
      calls.where((eb) => eb.or([eb('node_id', '=', nodeId), eb('adopted_by', '=', nodeId)])),
    );
  return {
    callsWithUnfinishedRecording: async () => {
      const rows = await ofNode
        .where('recording_path', 'is not', null)
        .where('recording_complete', 'is', null)
        .execute();
      return rows.map(readCall);
    },
    deletedAmong: async (callIds) => {
      const rows = await query
        .selectFrom('calls')
        .select('id')
        .where('id', 'in', callIds)
        .where('deleted_ms', 'is not', null)
        .execute();
      return rows.map(({ id }) => id);
    },
    unansweredAmong: async (callIds) => {
      const rows = await ofNode
        .where('id', 'in', callIds)
        // An expression: SQLite would read all ended calls by the index of the status.
        .where(sql<SqlBool>`coalesce(status, '') IN (${sql.join(FINAL_STATUSES)})`)
        .where('start_ms', 'is', null)
        .where('recording_path', 'is', null)
        .where('deleted_ms', 'is', null)
        .execute();
      return rows.map(readCall);
    },
  };
}
