import { type CallSpan, laterBy, type SpansEntry } from '../../../engine/timeline/call-span.ts';
import type { Database, Step } from '../database/database.ts';
import { storableJson } from '../link/storable-text.ts';

/** Stores a part of a call's spans. `startedWallMs`: wall clock at the call's engine time 0, ms since 1970. */
export function spansStep(
  query: Database['query'],
  callId: string,
  { part, spans }: SpansEntry,
  startedWallMs: number,
): Step {
  const columns = { spans_json: storableJson(spans.map((span) => laterBy(span, startedWallMs * 1_000))) };
  const statement = query
    .insertInto('call_spans')
    .values({ call_id: callId, part, ...columns })
    .onConflict((conflict) => conflict.columns(['call_id', 'part']).doUpdateSet(columns));
  return { statement };
}

/** The spans of a call in the order of their ends, in µs since 1970. Rejects with a `DatabaseError`. */
export async function readSpans(query: Database['query'], callId: string): Promise<CallSpan[]> {
  const rows = await query
    .selectFrom('call_spans')
    .select('spans_json')
    .where('call_id', '=', callId)
    .orderBy('part')
    .execute();
  return rows.flatMap((row) => JSON.parse(row.spans_json));
}
